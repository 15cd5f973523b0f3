// Completion scripts, written from what the parsers accept.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "app/cli.hpp"
#include "app/commands.hpp"
#include "app/output.hpp"

namespace vnngp::app {
namespace {

std::vector<std::string> names_of(const CLI::Option& option) {
    std::vector<std::string> names;
    for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option.get_snames()) names.push_back("-" + name);
    return names;
}

std::vector<std::string> subcommand_names(const CLI::App& program) {
    std::vector<std::string> names;
    for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
    return names;
}

// Options, and the words that a positional argument may be.
std::vector<std::string> words_of(const CLI::App& parser) {
    std::vector<std::string> words;
    for (const CLI::Option* option : parser.get_options()) {
        const auto more = option->get_positional() ? choices_of(*option) : names_of(*option);
        words.insert(words.end(), more.begin(), more.end());
    }
    return words;
}

std::string bash_script(const CLI::App& program) {
    std::string values, words;
    std::vector<std::string> by_name;  // commands whose argument is one of a few words
    for (const CLI::App* command : program.get_subcommands({})) {
        for (const CLI::Option* option : command->get_options())
            if (option->get_positional() && !choices_of(*option).empty()) by_name.push_back(command->get_name());
        words += fmt::format("        {}) words=\"{}\" ;;\n", command->get_name(), fmt::join(words_of(*command), " "));
        for (const CLI::Option* option : command->get_options())
            if (const auto choices = choices_of(*option); !choices.empty() && !option->get_positional())
                for (const std::string& name : names_of(*option))
                    values += fmt::format("        \"{} {}\") COMPREPLY=($(compgen -W \"{}\" -- \"$cur\")); return ;;\n",
                                          command->get_name(), name, fmt::join(choices, " "));
    }
    std::vector<std::string> top = subcommand_names(program);
    const auto options = words_of(program);
    top.insert(top.end(), options.begin(), options.end());
    return fmt::format(R"(# Completion of vnngp for bash: source it, or save it in ~/.local/share/bash-completion/completions/vnngp
_vnngp() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} command="" words="" i
    if [[ $cur == "=" ]]; then
        cur=""
    elif [[ $prev == "=" ]]; then
        prev=${{COMP_WORDS[COMP_CWORD-2]}}
    fi
    for ((i = 1; i < COMP_CWORD; ++i)); do
        case ${{COMP_WORDS[i]}} in
        {}) command=${{COMP_WORDS[i]}}; break ;;
        esac
    done
    COMPREPLY=()
    case "$command $prev" in
{}    esac
    case $command in
        "") words="{}" ;;
{}    esac
    # Nothing found falls back to the names of files.
    if [[ -z $command || " {} " == *" $command "* || $cur == -* ]]; then
        COMPREPLY=($(compgen -W "$words" -- "$cur"))
    fi
}}
complete -o default -F _vnngp vnngp
)",
                       fmt::join(subcommand_names(program), "|"), values, fmt::join(top, " "), words, fmt::join(by_name, " "));
}

std::string zsh_script(const CLI::App& program) {
    return "# Completion of vnngp for zsh: add  source <(vnngp completion zsh)  to ~/.zshrc\n"
           "autoload -U +X compinit && compinit\n"
           "autoload -U +X bashcompinit && bashcompinit\n" +
           bash_script(program);
}

std::string fish_quoted(const std::string& text) {
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return quoted + "'";
}

std::string fish_script(const CLI::App& program) {
    std::string script = "# Completion of vnngp for fish: save it in ~/.config/fish/completions/vnngp.fish\n";
    for (const CLI::App* command : program.get_subcommands({})) {
        const std::string description = command->get_description();
        script += fmt::format("complete -c vnngp -f -n __fish_use_subcommand -a {} -d {}\n", command->get_name(),
                              fish_quoted(description.substr(0, description.find('\n'))));
        for (const CLI::Option* option : command->get_options()) {
            const auto choices = choices_of(*option);
            if (option->get_positional() && choices.empty()) continue;
            script += fmt::format("complete -c vnngp -n '__fish_seen_subcommand_from {}'", command->get_name());
            for (const std::string& name : option->get_lnames()) script += " -l " + name;
            for (const std::string& name : option->get_snames()) script += " -s " + name;
            if (!choices.empty())
                script += fmt::format(" -x -a {}", fish_quoted(fmt::format("{}", fmt::join(choices, " "))));
            else if (option->get_type_size() != 0)
                script += " -r";
            script += fmt::format(" -d {}\n", fish_quoted(option->get_description()));
        }
    }
    return script;
}

}  // namespace

Command setup_completion(CLI::App& program) {
    CLI::App* parser = program.add_subcommand("completion", "Print a script that completes vnngp's commands in a shell");
    auto shell = std::make_shared<std::string>();
    parser->add_option("SHELL", *shell, "Shell to complete in")->required()->check(one_of({"bash", "zsh", "fish"}))->type_name("NAME");
    parser->footer(R"(Examples:
  source <(vnngp completion bash)
  echo 'source <(vnngp completion zsh)' >> ~/.zshrc
  vnngp completion fish > ~/.config/fish/completions/vnngp.fish)");
    return {parser, [shell, &program] {
                print(*shell == "bash" ? bash_script(program) : *shell == "zsh" ? zsh_script(program) : fish_script(program));
            }};
}

}  // namespace vnngp::app
