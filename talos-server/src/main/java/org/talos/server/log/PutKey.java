// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import java.util.Optional;

/**
 * A sequence id that is the client's own key of a put, together with a digest of what was put: the key alone says that
 * a put is a repetition, the digest whether the client has kept to it. As text: U+0001, key, U+0001, digest.
 *
 * <p>Immutable.
 *
 * @param key no U+0001 in it
 * @param digest the same
 */
public record PutKey(String key, String digest) {
    private static final char MARK = '\u0001';

    /** Refuses what would not be read as it was written. */
    public PutKey {
        if (key.indexOf(MARK) >= 0 || digest.indexOf(MARK) >= 0) {
            throw new IllegalArgumentException("key or digest with U+0001");
        }
    }

    /** Whether a text might be taken for a key: nobody else's sequence id begins so. */
    public static boolean isMarked(String sequenceId) {
        return !sequenceId.isEmpty() && sequenceId.charAt(0) == MARK;
    }

    /** The key in a sequence id, if it is one. */
    static Optional<PutKey> parse(String sequenceId) {
        int middle = sequenceId.indexOf(MARK, 1);
        return isMarked(sequenceId) && middle > 0
                ? Optional.of(new PutKey(sequenceId.substring(1, middle), sequenceId.substring(middle + 1)))
                : Optional.empty();
    }

    /** As an entry holds it. */
    public String sequenceId() {
        return MARK + key + MARK + digest;
    }
}
