// A directory for one test, and whole files in it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

namespace vnngp::data {

class Scratch {
public:
    Scratch() {
        std::string name = (std::filesystem::path(::testing::TempDir()) / "vnngp_data_XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot create " + name);
        root_ = name;
    }
    ~Scratch() { std::filesystem::remove_all(root_); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    std::filesystem::path path(const std::string& name) const { return root_ / name; }

    std::filesystem::path file(const std::string& name, std::string_view content) const {
        std::ofstream(path(name), std::ios::binary) << content;
        return path(name);
    }

    std::size_t num_files() const {
        return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(root_), std::filesystem::directory_iterator()));
    }

private:
    std::filesystem::path root_;
};

inline std::string content_of(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// The message of the exception of type Error that `action` throws; a failed expectation and an empty text when it throws none.
template <typename Error, typename Action>
std::string message_of(Action&& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return "";
}

}  // namespace vnngp::data
