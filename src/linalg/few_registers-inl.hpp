// Included in the namespace of every instruction set.

/// AVX-512 and NEON have 32 vector registers, older x86 has 16: too few for a tile of sixteen sums and what is added to them.
constexpr bool kFewRegisters = HWY_ARCH_X86 && HWY_MAX_BYTES < 64;
