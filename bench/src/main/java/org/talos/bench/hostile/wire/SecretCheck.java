// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Fails where a text of ASCII characters occurs, also where it is cut into several pieces. Confined: its connection.
 */
public final class SecretCheck implements Check {
    private final byte[] secret;
    private final int[] restart; // of Knuth, Morris, and Pratt: the matched length after a mismatch
    private int matched;

    /** Creates the check of one connection. */
    public SecretCheck(String secret) {
        this.secret = secret.getBytes(StandardCharsets.US_ASCII);
        restart = new int[this.secret.length];
        for (int i = 1; i < restart.length; i++) {
            restart[i] = next(restart[i - 1], this.secret[i]);
        }
    }

    private int next(int length, byte found) {
        int matching = length;
        while (matching > 0 && secret[matching] != found) {
            matching = restart[matching - 1];
        }
        return secret[matching] == found ? matching + 1 : matching;
    }

    @Override
    public void accept(ByteBuffer bytes) throws ForeignBytesException {
        int start = bytes.position();
        while (bytes.hasRemaining()) {
            matched = next(matched, bytes.get());
            if (matched == secret.length) {
                matched = 0;
                throw new ForeignBytesException("the secret of another user", bytes.position(start));
            }
        }
    }
}
