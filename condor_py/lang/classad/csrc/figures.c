/*
 * Numbers to text. Most reals that people write have few binary digits behind the point (0.25, 1500.0): their decimal
 * digits are an integer, which costs a tenth of the general way. What has more than the 16 digits that are written is
 * left to Python's own conversion, so that every result is the correctly rounded one.
 * Gain: see print.c.
 */

#include "writer.h"

#include <math.h>
#include <stdint.h>

#define DIGITS 16 /* of a real; "%.16G" in old format, "%.15E" in new */
#define LIMIT 10000000000000000ULL /* the first integer that has more */
#define MOST_HALVINGS 22 /* 5 to this power is below LIMIT */

int
digits_of(long long number, char *room)
{
    unsigned long long rest = number < 0 ? 0ULL - (unsigned long long)number : (unsigned long long)number;
    char back[MOST_DIGITS], *first = back + sizeof back;
    int length;

    do {
        *--first = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest != 0);
    if (number < 0)
        *--first = '-';
    length = (int)(back + sizeof back - first);
    memcpy(room, first, (size_t)length);
    return length;
}

int
add_integer(Text *out, long long number)
{
    if (out->room - out->length < MOST_DIGITS && !make_room(out, MOST_DIGITS))
        return 0;
    out->length += digits_of(number, out->data + out->length);
    return 1;
}

/* The decimal digits of a positive number without zeros at their end, and the power of ten of the first; how many they
 * are, or 0 where they are more than are written. */
static int
exact_digits(double number, char *digits, int *power)
{
    static const uint64_t fives[MOST_HALVINGS + 1] = {
        1, 5, 25, 125, 625, 3125, 15625, 78125, 390625, 1953125, 9765625, 48828125, 244140625, 1220703125, 6103515625,
        30517578125, 152587890625, 762939453125, 3814697265625, 19073486328125, 95367431640625, 476837158203125,
        2384185791015625,
    };
    int exponent, zeros, count, halvings = 0;
    uint64_t whole = (uint64_t)ldexp(frexp(number, &exponent), 53);

    zeros = __builtin_ctzll(whole);
    whole >>= zeros;
    exponent += zeros - 53; /* number == whole * 2 ** exponent */
    if (exponent >= 0) {
        if (exponent + 64 - __builtin_clzll(whole) > 53)
            return 0;
        whole <<= exponent;
    }
    else {
        halvings = -exponent;
        if (halvings > MOST_HALVINGS || whole > (LIMIT - 1) / fives[halvings])
            return 0;
        whole *= fives[halvings];
    }
    count = digits_of((long long)whole, digits);
    *power = count - 1 - halvings;
    while (count > 1 && digits[count - 1] == '0')
        count--;
    return count;
}

/* digits[0:count] with the point behind the first, `decimals` of them behind it, and the power of ten. */
static int
add_scientific(Text *out, const char *digits, int count, int decimals, int power)
{
    char tail[] = {'E', power < 0 ? '-' : '+', (char)('0' + abs(power) / 10), (char)('0' + abs(power) % 10)};

    if (!add_char(out, digits[0]) || (decimals > 0 && !add_char(out, '.')) || !add(out, digits + 1, count - 1))
        return 0;
    return add(out, "000000000000000", decimals - (count - 1)) && add(out, tail, sizeof tail);
}

/* As "%.16G", with ".0" behind what would look like an integer. */
static int
add_general(Text *out, const char *digits, int count, int power)
{
    static const char zeros[] = "0000000000000000";

    if (power < -4)
        return add_scientific(out, digits, count, count - 1, power);
    if (power < 0)
        return add_c(out, "0.") && add(out, zeros, -power - 1) && add(out, digits, count);
    if (count <= power + 1)
        return add(out, digits, count) && add(out, zeros, power + 1 - count) && add_c(out, ".0");
    return add(out, digits, power + 1) && add_char(out, '.') && add(out, digits + power + 1, count - power - 1);
}

/* By Python's conversion. */
static int
add_rounded(Text *out, double number)
{
    char *text = PyOS_double_to_string(number, out->old ? 'G' : 'E', out->old ? DIGITS : DIGITS - 1, 0, NULL);
    int done;

    if (text == NULL)
        return 0;
    done = add_c(out, text);
    if (done && out->old && strpbrk(text, ".E") == NULL)
        done = add_c(out, ".0");
    PyMem_Free(text);
    return done;
}

int
add_real(Text *out, double number)
{
    char digits[MOST_DIGITS];
    int count, power;

    if (number == 0.0)
        return add_c(out, signbit(number) ? "-0.0" : "0.0");
    if (isnan(number))
        return add_c(out, "real(\"NaN\")");
    if (isinf(number))
        return add_c(out, number > 0 ? "real(\"INF\")" : "real(\"-INF\")");
    count = exact_digits(fabs(number), digits, &power);
    if (count == 0)
        return add_rounded(out, number);
    if (number < 0 && !add_char(out, '-'))
        return 0;
    return out->old ? add_general(out, digits, count, power)
                    : add_scientific(out, digits, count, DIGITS - 1, power);
}
