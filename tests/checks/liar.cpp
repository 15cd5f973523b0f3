// What a library of ours must never do; library_is_silent.sh has to notice.
#include <cstdio>
#include <cstdlib>

void liar(const char* message) {
    std::puts(message);
    std::abort();
}
