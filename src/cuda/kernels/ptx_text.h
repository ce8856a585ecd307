/* ptx_text.h - lines of a device's instructions (ptx.h) between statements of C++.
 *
 * Registers are declared once in a function, where nothing can repeat it; lines stay in their order, and for all that the compiler knows
 * they read and write any memory. On a host tests translate the lines first (tests/device/ptx_host.h), and registers are variables.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_PTX_TEXT_H
#define HN_CUDA_PTX_TEXT_H

#ifdef DEVICE_HOST
#define PTX_REGISTERS(values, read, spare)                                                                             \
    simd nv[values], nw[values], ns[read], nt[spare], nu[2];                                                           \
    bool pv[values], pm[read], pt[spare], wrong;                                                                       \
    simd_bits nb[1];                                                                                                   \
    uint32_t ne[3];                                                                                                    \
    float nf[1];
#define ROUND_DECLARES(registers) registers
#define KERNEL_DECLARES(registers)
#define PTX_SLOTS(at)
#define PTX_PLACES(slots_at, own_at, near_at)
#define PTX_NO_DOUBT
#define PTX_DOUBT(variable)
#define PTX_TAKE(variable, kind, number) ((variable) = kind[number])
#define PTX_GIVE(kind, number, value)    (kind[number] = (value))
#else
#ifdef DEVICE_SINGLE
#define PTX_BITS            "32"
#define PTX_LETTER          "f"
#define PTX_DOUBT_IS        ".reg .f32 doubt;"
#define PTX_NO_DOUBT        asm volatile("mov.f32 doubt,0f00000000;");
#define PTX_DOUBT(variable) asm volatile("mov.f32 %0,doubt;" : "=f"(variable));
#else
#define PTX_BITS            "64"
#define PTX_LETTER          "d"
#define PTX_DOUBT_IS        ".reg .pred doubt;"
#define PTX_NO_DOUBT        asm volatile("setp.ne.s32 doubt,0,0;");
#define PTX_DOUBT(variable) asm volatile("selp.u32 %0,1,0,doubt;" : "=r"(variable));
#endif
#define PTX_REGISTERS(values, read, spare)                                                                             \
    asm volatile(".reg .f" PTX_BITS " nv<" #values ">,nw<" #values ">,ns<" #read ">,nt<" #spare ">,nu<2>;"             \
                 ".reg .pred pv<" #values ">,pm<" #read ">,pt<" #spare ">,wrong;.reg .b" PTX_BITS " nb<1>;"            \
                 ".reg .b32 ne<3>;.reg .f32 nf<1>;.reg .u64 slots,own,near;" PTX_DOUBT_IS);
#define ROUND_DECLARES(registers)
#define KERNEL_DECLARES(registers) registers
#define PTX_SLOTS(at)              asm volatile("cvta.to.local.u64 slots,%0;" ::"l"(at));
#define PTX_PLACES(slots_at, own_at, near_at)                                                                          \
    asm volatile("mov.u64 slots,%0;mov.u64 own,%1;mov.u64 near,%2;" ::"l"(slots_at), "l"(own_at), "l"(near_at));
#define PTX(text) asm volatile(text ::: "memory")
#define PTX_TAKE(variable, kind, number)                                                                               \
    asm volatile("mov.f" PTX_BITS " %0," #kind #number ";" : "=" PTX_LETTER(variable))
#define PTX_GIVE(kind, number, value) asm volatile("mov.f" PTX_BITS " " #kind #number ",%0;" ::PTX_LETTER(value))
#endif

#endif
