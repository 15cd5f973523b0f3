#include <iostream>

#include "vnngp/base/random.hpp"

int main() {
    vnngp::RandomStream stream(1, vnngp::StreamPurpose::test);
    const auto order = vnngp::random_permutation(10, stream);
    std::cout << "first of ten: " << order.front() << '\n';
    return order.size() == 10 ? 0 : 1;
}
