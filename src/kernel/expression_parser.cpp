// Recursive descent: one function per rule of the grammar in expression.hpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "kernel/characters.hpp"
#include "kernel/expression.hpp"
#include "vnngp/base/error.hpp"
#include "vnngp/base/names.hpp"

namespace vnngp::kernel {
namespace {

constexpr int kDeepest = 100;  // parentheses within parentheses: expressions come from files, and each takes a piece of the stack

class Parser {
public:
    Parser(std::string_view text, std::span<const Input> inputs) : text_(text), inputs_(inputs), kernels_(kernel_names()) {
        for (int input = 0; input < static_cast<int>(inputs.size()); ++input) input_names_.push_back(input_name(inputs, input));
    }

    Term parse() {
        skip_spaces();
        if (at_end())
            throw InputError("the kernel expression is empty: expected something like matern52, or matern32(lon,lat) * matern12(t)");
        Term term = sum();
        if (!at_end()) expected("'+', '*' or the end");
        return term;
    }

private:
    Term sum() { return list(Term::Kind::sum, '+', &Parser::product); }
    Term product() { return list(Term::Kind::product, '*', &Parser::factor); }

    // Operands separated by an operator. The parts of an operand of the same kind become parts of the whole.
    Term list(Term::Kind kind, char separator, Term (Parser::*operand)()) {
        Term whole{.kind = kind};
        do {
            Term part = (this->*operand)();
            if (part.kind == kind)
                std::move(part.parts.begin(), part.parts.end(), std::back_inserter(whole.parts));
            else
                whole.parts.push_back(std::move(part));
        } while (accept(separator));
        if (whole.parts.size() > 1) return whole;
        Term only = std::move(whole.parts[0]);
        return only;
    }

    Term factor() {
        const std::size_t opened = at_;
        if (!accept('(')) return leaf();
        if (++depth_ > kDeepest) fail(opened, fmt::format("more than {} parentheses within each other", kDeepest));
        Term inner = sum();
        if (!accept(')')) expected(fmt::format("'+', '*' or the ')' that belongs to character {}", opened + 1));
        --depth_;
        return inner;
    }

    Term leaf() {
        const std::size_t begin = at_;
        Term term{.kernel = word()};
        if (term.kernel.empty()) expected("the name of a kernel");
        check_kernel(term.kernel, begin);
        const std::size_t opened = at_;
        if (accept('(')) arguments(term, opened);
        if (term.inputs.empty()) {
            term.inputs.resize(inputs_.size());
            std::iota(term.inputs.begin(), term.inputs.end(), 0);
        }
        if (term.kernel == kPeriodic) check_periodic(term, begin);
        return term;
    }

    void arguments(Term& term, std::size_t opened) {
        do {
            const std::size_t begin = at_;
            const bool quoted = at_quote();
            const std::string name = quoted ? quoted_name() : word();
            if (name.empty()) expected("the name of an input");
            if (!quoted && accept('='))
                option(term, name, begin);
            else
                add_input(term, is_input(name) ? name : joined_name(name), begin);
        } while (accept(','));
        if (!accept(')')) expected(fmt::format("',' or the ')' that belongs to character {}", opened + 1));
    }

    // `first` and as many of the following arguments as make the name of one input (a place on the sphere is called "lon,lat"); `first`
    // alone, and nothing read, where none do.
    std::string joined_name(const std::string& first) {
        const std::size_t end_of_first = at_;
        std::string joined = first;
        while (accept(',')) {
            const std::string next = at_quote() ? quoted_name() : word();
            if (next.empty()) break;
            joined.append(",").append(next);
            if (is_input(joined)) return joined;
        }
        at_ = end_of_first;
        return first;
    }

    bool is_input(const std::string& name) const { return std::find(input_names_.begin(), input_names_.end(), name) != input_names_.end(); }

    void option(Term& term, const std::string& name, std::size_t begin) {
        if (term.kernel != kPeriodic) fail(begin, fmt::format("{} has no option '{}'", term.kernel, name));
        if (name != "period")
            fail(begin, fmt::format("{} has no option '{}'{}: expected period", kPeriodic, name, suggestion({"period"}, name)));
        if (term.period) fail(begin, "the period is given twice");
        term.period = positive_number();
    }

    void add_input(Term& term, const std::string& name, std::size_t begin) {
        const auto found = std::find(input_names_.begin(), input_names_.end(), name);
        if (found == input_names_.end())
            fail(begin, fmt::format("unknown input '{}'{}: expected one of {}", name, suggestion(input_names_, name),
                                    fmt::join(input_names_, ", ")));
        const int input = static_cast<int>(found - input_names_.begin());
        if (std::find(term.inputs.begin(), term.inputs.end(), input) != term.inputs.end())
            fail(begin, fmt::format("input '{}' is named twice in one kernel", name));
        term.inputs.push_back(input);
    }

    void check_kernel(const std::string& name, std::size_t begin) const {
        if (std::find(kernels_.begin(), kernels_.end(), name) != kernels_.end()) return;
        const std::string what =
            fmt::format("unknown kernel '{}'{}: expected one of {}", name, suggestion(kernels_, name), fmt::join(kernels_, ", "));
        if (name == text_) throw InputError(what);
        fail(begin, what);
    }

    void check_periodic(const Term& term, std::size_t begin) const {
        if (term.inputs.size() != 1)
            fail(begin, fmt::format("{} takes one input, as in {}({}), not {}", kPeriodic, kPeriodic,
                                    input_names_.empty() ? "t" : input_names_.back(), term.inputs.size()));
        const int num_dims = inputs_[term.inputs[0]].num_dims;
        if (num_dims != 1)
            fail(begin, fmt::format("{} takes an input of one coordinate; '{}' has {}", kPeriodic, input_names_[term.inputs[0]], num_dims));
    }

    // Letters, digits, '_' and '.', or "".
    std::string word() {
        const std::size_t begin = at_;
        while (!at_end() && is_word_character(text_[at_])) ++at_;
        return token(begin);
    }

    std::string quoted_name() {
        const std::size_t opened = at_++;
        std::string name;
        for (;; name += text_[at_++]) {
            if (at_end()) fail(opened, "this quote has no end");
            if (text_[at_] != '\'') continue;
            if (text_.substr(at_ + 1, 1) != "'") break;
            ++at_;
        }
        ++at_;
        skip_spaces();
        return name;
    }

    double positive_number() {
        const std::size_t begin = at_;
        while (!at_end() && text_[at_] != ',' && text_[at_] != ')' && !is_space(text_[at_])) ++at_;
        const std::string digits = token(begin);
        double value = 0.0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error != std::errc() || end != digits.data() + digits.size() || !(value > 0.0) || !std::isfinite(value))
            fail(begin, fmt::format("expected a positive number, found '{}'", digits));
        return value;
    }

    // What was read since `begin`; goes on to the next token.
    std::string token(std::size_t begin) {
        std::string text(text_.substr(begin, at_ - begin));
        skip_spaces();
        return text;
    }

    bool accept(char c) {
        if (at_end() || text_[at_] != c) return false;
        ++at_;
        skip_spaces();
        return true;
    }

    void skip_spaces() {
        while (!at_end() && is_space(text_[at_])) ++at_;
    }

    bool at_quote() const { return !at_end() && text_[at_] == '\''; }

    bool at_end() const { return at_ == text_.size(); }

    [[noreturn]] void expected(const std::string& what) {
        const std::size_t begin = at_;
        std::string found = word();
        if (found.empty() && !at_end()) found += text_[at_];
        fail(begin, fmt::format("expected {}, found {}", what, found.empty() ? "the end" : fmt::format("'{}'", found)));
    }

    [[noreturn]] void fail(std::size_t at, const std::string& what) const {
        throw InputError(fmt::format("kernel \"{}\", character {}: {}", text_, at + 1, what));
    }

    std::string_view text_;
    std::span<const Input> inputs_;
    std::vector<std::string> kernels_, input_names_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

}  // namespace

Term parse_expression(std::string_view text, std::span<const Input> inputs) { return Parser(text, inputs).parse(); }

}  // namespace vnngp::kernel
