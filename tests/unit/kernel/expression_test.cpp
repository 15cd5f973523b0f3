// Kernel expressions: what they mean, their one written form, the names of parameters, and what is said about mistakes.
#include <gtest/gtest.h>

#include "vnngp/base/error.hpp"
#include "vnngp/kernel/kernel.hpp"

namespace vnngp::kernel {
namespace {

const std::vector<Input> kInputs{{"lon"}, {"lat"}, {"t", 1, 100.0}, {"mean depth (m)"}, {"place", 3}};

std::string canonical(const std::string& expression) { return make_kernel(expression, kInputs)->name(); }

std::vector<std::string> parameter_names(const std::string& expression) {
    std::vector<std::string> names;
    for (const Parameter& parameter : make_kernel(expression, kInputs)->parameters()) names.push_back(parameter.name);
    return names;
}

std::string message(const std::string& expression, const std::vector<Input>& inputs = kInputs) {
    try {
        make_kernel(expression, inputs);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

struct Spelling {
    std::string expression, canonical;
};

void PrintTo(const Spelling& spelling, std::ostream* out) { *out << spelling.expression; }

class CanonicalForm : public ::testing::TestWithParam<Spelling> {};

TEST_P(CanonicalForm, IsReachedInOneStep) {
    EXPECT_EQ(canonical(GetParam().expression), GetParam().canonical);
    EXPECT_EQ(canonical(GetParam().canonical), GetParam().canonical);
    EXPECT_EQ(parameter_names(GetParam().expression), parameter_names(GetParam().canonical));
}

INSTANTIATE_TEST_SUITE_P(All, CanonicalForm,
                         ::testing::Values(Spelling{" matern32 ", "matern32"}, Spelling{"((rbf))", "rbf"},
                                           Spelling{"rbf(lon,lat,t,'mean depth (m)',place)", "rbf"},
                                           Spelling{"rbf( lat ,\tlon )", "rbf(lat,lon)"}, Spelling{"rbf('lon')", "rbf(lon)"},
                                           Spelling{"rq('mean depth (m)')", "rq('mean depth (m)')"},
                                           Spelling{"matern32(lon,lat)*matern12(t)+rbf(t)", "matern32(lon,lat) * matern12(t) + rbf(t)"},
                                           Spelling{"rbf(t)+matern12(t)*rq(t)", "rbf(t) + matern12(t) * rq(t)"},
                                           Spelling{"rbf(t)*(matern12(t)+rq(t))", "rbf(t) * (matern12(t) + rq(t))"},
                                           Spelling{"rbf(t)*(matern12(t)*rq(t))", "rbf(t) * matern12(t) * rq(t)"},
                                           Spelling{"rbf(t)+(matern12(t)+(rq(t)))", "rbf(t) + matern12(t) + rq(t)"},
                                           Spelling{"periodic(t,period = 3.6525e2)", "periodic(t, period=365.25)"},
                                           Spelling{"periodic(period=0.1,t)", "periodic(t, period=0.1)"}));

TEST(Expression, QuotedNamesMayHoldAnything) {
    const std::vector<Input> odd{{"it's"}, {"a,b)"}, {"größe"}, {" "}};
    for (const char* expression : {"rbf('it''s')", "rbf('a,b)',größe)", "rbf(' ') * rq('it''s')"})
        EXPECT_EQ(make_kernel(expression, odd)->name(), expression);
}

// A place on the sphere is one input whose name is that of two columns.
TEST(Expression, ArgumentsThatAreOneInputTogetherFindIt) {
    const std::vector<Input> inputs{{"t"}, {"lon,lat", 3}, {"z"}};
    for (const char* written : {"matern32(lon,lat)", "matern32( lon , lat )", "matern32('lon,lat')", "matern32('lon',lat)"}) {
        const auto kernel = make_kernel(written, inputs);
        EXPECT_EQ(kernel->name(), "matern32('lon,lat')");
        ASSERT_EQ(kernel->num_parameters(), 1);
        EXPECT_EQ(kernel->parameters()[0].name, "lengthscale_lon,lat");
        EXPECT_EQ(make_kernel(kernel->name(), inputs)->name(), kernel->name());
    }
    EXPECT_EQ(make_kernel("rbf(z,lon,lat) * periodic(t, period=2)", inputs)->name(), "rbf(z,'lon,lat') * periodic(t, period=2)");
    EXPECT_EQ(make_kernel("rbf(t,lon,lat,z)", inputs)->name(), "rbf");

    const std::vector<Input> three{{"a,b,c"}, {"b"}};
    EXPECT_EQ(make_kernel("rbf(b,a,b,c)", three)->name(), "rbf(b,'a,b,c')");
    const std::vector<Input> first_alone{{"lon"}, {"lon,lat", 3}, {"lat"}};
    EXPECT_EQ(make_kernel("rbf(lon,lat)", first_alone)->name(), "rbf(lon,lat)") << "an input by itself comes first";
}

TEST(Expression, ArgumentsThatAreNoInputTogetherAreUnknownOneByOne) {
    const std::vector<Input> inputs{{"lon,lat", 3}, {"t"}};
    const auto unknown = [](const std::string& expression, const std::string& name) {
        return "kernel \"" + expression + "\", character 5: unknown input '" + name + "'";
    };
    for (const char* expression : {"rbf(lon)", "rbf(lon,t)", "rbf(lon,)", "rbf(lon,t,lat)", "rbf(lon"})
        EXPECT_TRUE(message(expression, inputs).starts_with(unknown(expression, "lon"))) << message(expression, inputs);
    EXPECT_EQ(message("rbf(lon,lat,lon,lat)", inputs),
              "kernel \"rbf(lon,lat,lon,lat)\", character 13: input 'lon,lat' is named twice in one kernel");
    EXPECT_EQ(message("periodic(lon,lat)", inputs),
              "kernel \"periodic(lon,lat)\", character 1: periodic takes an input of one coordinate; 'lon,lat' has 3");
}

TEST(Expression, AnInputMayBeCalledLikeAnOptionOrAKernel) {
    const std::vector<Input> inputs{{"period"}, {"rbf"}};
    EXPECT_EQ(make_kernel("periodic(period, period=2) * rbf(rbf)", inputs)->name(), "periodic(period, period=2) * rbf(rbf)");
}

TEST(ParameterNames, AreShortWhileTheyAreUnique) {
    using Names = std::vector<std::string>;
    EXPECT_EQ(parameter_names("matern32(lon,lat) * rq(t)"), (Names{"lengthscale_lon", "lengthscale_lat", "lengthscale_t", "alpha"}));
    EXPECT_EQ(parameter_names("matern32(lon,lat) * matern12(t) + rbf(t)"),
              (Names{"lengthscale_lon", "lengthscale_lat", "matern12.lengthscale_t", "rbf.lengthscale_t", "weight_2"}));
    EXPECT_EQ(parameter_names("rbf(t) + rbf(t) + matern12(lon)"),
              (Names{"rbf[1].lengthscale_t", "rbf[2].lengthscale_t", "lengthscale_lon", "weight_2", "weight_3"}));
    EXPECT_EQ(
        parameter_names("(rbf(t) + rq(lon)) * (rbf(lat) + matern12(place))"),
        (Names{"lengthscale_t", "lengthscale_lon", "alpha", "sum[1].weight_2", "lengthscale_lat", "lengthscale_place", "sum[2].weight_2"}));
    EXPECT_EQ(parameter_names("periodic(t)"), (Names{"periodic_lengthscale_t", "period_t"}));
    EXPECT_EQ(parameter_names("periodic(t, period=7)"), (Names{"periodic_lengthscale_t"}));
}

TEST(Parameters, OfPartsThatAreAlikeBeginApart) {
    const auto initial = [](std::string_view expression, int parameter) {
        return make_kernel(expression, kInputs)->parameters()[parameter].initial;
    };
    EXPECT_GT(initial("rbf(t) + rbf(t) + rbf(t)", 0), 2.0 * initial("rbf(t) + rbf(t) + rbf(t)", 1));
    EXPECT_GT(initial("rbf(t) + rbf(t) + rbf(t)", 1), 2.0 * initial("rbf(t) + rbf(t) + rbf(t)", 2));
    EXPECT_EQ(initial("rbf(t) + matern12(t)", 0), initial("rbf(t) + matern12(t)", 1));
    EXPECT_EQ(initial("rbf(lon) * rbf(lat)", 0), initial("rbf(lon) * rbf(lat)", 1));
}

TEST(Parameters, AreLengthscalesByKindNotByName) {
    const std::vector<Input> inputs{{"lengthscale"}};
    std::vector<bool> kinds;
    for (const Parameter& parameter : make_kernel("rq(lengthscale) + periodic(lengthscale)", inputs)->parameters())
        kinds.push_back(parameter.is_lengthscale);
    EXPECT_EQ(kinds, (std::vector<bool>{true, false, true, false, false})) << "length-scale, alpha, length-scale, period, weight";
}

TEST(Parameters, KnowTheInputWhoseUnitTheyHave) {
    const auto parameters = make_kernel("rq(t,lat) + periodic(t)", kInputs)->parameters();
    std::vector<int> inputs;
    for (const Parameter& parameter : parameters) inputs.push_back(parameter.input);
    EXPECT_EQ(inputs, (std::vector<int>{2, 1, -1, -1, 2, -1}));
    EXPECT_EQ(parameters[2].lower, 0.05);
    EXPECT_EQ(parameters[2].upper, 1e3);
}

struct Mistake {
    std::string expression, message;
};

void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.expression; }

class MistakenExpression : public ::testing::TestWithParam<Mistake> {};

TEST_P(MistakenExpression, IsAnsweredByPlaceAndExpectation) { EXPECT_EQ(message(GetParam().expression), GetParam().message); }

const char* const kAllKernels = "matern12, matern32, matern52, rbf, rq, periodic";
const char* const kAllInputs = "lon, lat, t, mean depth (m), place";

INSTANTIATE_TEST_SUITE_P(
    All, MistakenExpression,
    ::testing::Values(
        Mistake{"", "the kernel expression is empty: expected something like matern52, or matern32(lon,lat) * matern12(t)"},
        Mistake{" \t", "the kernel expression is empty: expected something like matern52, or matern32(lon,lat) * matern12(t)"},
        Mistake{"matern72", std::string("unknown kernel 'matern72' (did you mean 'matern12'?): expected one of ") + kAllKernels},
        Mistake{"rbf(t) + white",
                std::string("kernel \"rbf(t) + white\", character 10: unknown kernel 'white': expected one of ") + kAllKernels},
        Mistake{"rbf(lon,lta)", std::string("kernel \"rbf(lon,lta)\", character 9: unknown input 'lta' (did you mean 'lat'?): "
                                            "expected one of ") +
                                    kAllInputs},
        Mistake{"rbf('depth')", std::string("kernel \"rbf('depth')\", character 5: unknown input 'depth': expected one of ") + kAllInputs},
        Mistake{"rbf(lon, lon)", "kernel \"rbf(lon, lon)\", character 10: input 'lon' is named twice in one kernel"},
        Mistake{"rbf(", "kernel \"rbf(\", character 5: expected the name of an input, found the end"},
        Mistake{"rbf()", "kernel \"rbf()\", character 5: expected the name of an input, found ')'"},
        Mistake{"rbf(lon", "kernel \"rbf(lon\", character 8: expected ',' or the ')' that belongs to character 4, found the end"},
        Mistake{"rbf(lon lat)", "kernel \"rbf(lon lat)\", character 9: expected ',' or the ')' that belongs to character 4, found 'lat'"},
        Mistake{"rbf('lon)", "kernel \"rbf('lon)\", character 5: this quote has no end"},
        Mistake{"rbf +", "kernel \"rbf +\", character 6: expected the name of a kernel, found the end"},
        Mistake{"* rbf", "kernel \"* rbf\", character 1: expected the name of a kernel, found '*'"},
        Mistake{"rbf rq", "kernel \"rbf rq\", character 5: expected '+', '*' or the end, found 'rq'"},
        Mistake{"rbf)", "kernel \"rbf)\", character 4: expected '+', '*' or the end, found ')'"},
        Mistake{"rq * (rbf + rq",
                "kernel \"rq * (rbf + rq\", character 15: expected '+', '*' or the ')' that belongs to character 6, found the end"},
        Mistake{"rbf(t, period=3)", "kernel \"rbf(t, period=3)\", character 8: rbf has no option 'period'"},
        Mistake{
            "periodic(t, peroid=3)",
            "kernel \"periodic(t, peroid=3)\", character 13: periodic has no option 'peroid' (did you mean 'period'?): expected period"},
        Mistake{"periodic(t, period=-3)", "kernel \"periodic(t, period=-3)\", character 20: expected a positive number, found '-3'"},
        Mistake{"periodic(t, period=)", "kernel \"periodic(t, period=)\", character 20: expected a positive number, found ''"},
        Mistake{"periodic(t, period=inf)", "kernel \"periodic(t, period=inf)\", character 20: expected a positive number, found 'inf'"},
        Mistake{"periodic(t, period=1y)", "kernel \"periodic(t, period=1y)\", character 20: expected a positive number, found '1y'"},
        Mistake{"periodic(t, period=1, period=2)", "kernel \"periodic(t, period=1, period=2)\", character 23: the period is given twice"},
        Mistake{"rbf * periodic(t,lon)",
                "kernel \"rbf * periodic(t,lon)\", character 7: periodic takes one input, as in periodic(place), not 2"},
        Mistake{"periodic(place)", "kernel \"periodic(place)\", character 1: periodic takes an input of one coordinate; 'place' has 3"}));

TEST(Expression, NestedTooDeeplyIsRefused) {
    const std::string deep = std::string(100'000, '(') + "rbf";
    EXPECT_NE(message(deep).find("character 101: more than 100 parentheses within each other"), std::string::npos);
    EXPECT_EQ(message(std::string(100, '(') + "rbf" + std::string(100, ')')), "");
}

}  // namespace
}  // namespace vnngp::kernel
