// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log.checksum;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * A CRC-32C and the number of bytes that it covers. Checksums are linear: that of a whole follows from those of its
 * parts, and that of a part from those of the whole and of the rest, without the bytes.
 *
 * <p>Immutable.
 *
 * @param crc of the bytes
 * @param bytes number of covered bytes
 */
public record Checksum(int crc, long bytes) {
    static final Checksum EMPTY = new Checksum(0, 0);

    private static final int POLYNOMIAL = 0x82F63B78; // of CRC-32C, the highest power in the lowest bit, as below
    private static final int ONE = 1 << 31;
    private static final int X = 1 << 30;
    private static final int[] POWERS = powers();

    /** Returns the checksum of the remaining bytes of a buffer, which does not move. */
    public static Checksum of(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate());
        return new Checksum((int) crc.getValue(), bytes.remaining());
    }

    /** Returns the checksum of these bytes and those of another checksum behind them. */
    public Checksum then(Checksum next) {
        return new Checksum(shifted(next.bytes) ^ next.crc, bytes + next.bytes);
    }

    /**
     * Returns the checksum that bytes must have so that these bytes, followed by them, have a given checksum.
     *
     * @param whole CRC of all
     * @param restBytes number of bytes of the rest
     */
    public Checksum rest(int whole, long restBytes) {
        return new Checksum(shifted(restBytes) ^ whole, restBytes);
    }

    /** Returns the share of these bytes in the checksum of a whole in which {@code behind} bytes follow them. */
    private int shifted(long behind) {
        int power = ONE;
        long left = behind;
        for (int i = 3; left != 0; i++) { // a byte has 2^3 bits
            if ((left & 1) != 0) {
                power = product(POWERS[i], power);
            }
            left >>>= 1;
        }
        return product(power, crc);
    }

    /** Returns x to the powers of 2, modulo the polynomial. */
    private static int[] powers() {
        int[] powers = new int[Long.SIZE + 3];
        powers[0] = X;
        for (int i = 1; i < powers.length; i++) {
            powers[i] = product(powers[i - 1], powers[i - 1]);
        }
        return powers;
    }

    /** Multiplies two polynomials, modulo the polynomial of the checksum. */
    private static int product(int a, int b) {
        int product = 0;
        int multiple = b;
        for (int bit = ONE; bit != 0; bit >>>= 1) {
            if ((a & bit) != 0) {
                product ^= multiple;
            }
            multiple = (multiple & 1) == 0 ? multiple >>> 1 : (multiple >>> 1) ^ POLYNOMIAL;
        }
        return product;
    }
}
