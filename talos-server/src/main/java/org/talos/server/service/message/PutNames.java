// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.message;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.talos.common.error.TalosException;
import org.talos.server.log.Put;
import org.talos.server.service.call.CallContext;
import org.talos.thrift.ErrorCode;

/**
 * The names that SDKs give their puts: a sequence id, or a key of the program's own with a digest of the put's
 * contents, which an entry stores in its sequence id. Immutable.
 */
final class PutNames {
    private static final int MAX_SEQUENCE_ID_BYTES = 1_024;
    private static final Pattern KEYED = Pattern.compile("\u0001([\\x21-\\x7e]{1,255})\u0001([\\x21-\\x7e]{1,128})");

    private PutNames() {}

    /**
     * Returns the key of a put, if its program has given it one; the caller's own, as REST has it: two users' equal
     * keys are two keys.
     *
     * @throws TalosException MESSAGE_INCOMPLETE: it looks like a key and is none
     */
    static Optional<Put.Key> key(CallContext context, String sequenceId) {
        if (!Put.Key.isMarked(sequenceId)) {
            return Optional.empty();
        }
        Matcher keyed = KEYED.matcher(sequenceId);
        if (!keyed.matches()) {
            throw TalosException.refused(
                    ErrorCode.MESSAGE_INCOMPLETE,
                    "a sequence id that begins with U+0001 (expected behind it: a key of 1 to 255 visible characters of"
                            + " ASCII, U+0001, a digest)");
        }
        return Optional.of(new Put.Key(context.principal().userId() + "/" + keyed.group(1), keyed.group(2)));
    }

    /**
     * Returns a sequence id that an entry has room for.
     *
     * @throws TalosException MESSAGE_INCOMPLETE: it is longer
     */
    static String bounded(String sequenceId) {
        if (sequenceId.length() > MAX_SEQUENCE_ID_BYTES
                || sequenceId.getBytes(StandardCharsets.UTF_8).length > MAX_SEQUENCE_ID_BYTES) {
            throw TalosException.refused(
                    ErrorCode.MESSAGE_INCOMPLETE, "a sequence id of more than " + MAX_SEQUENCE_ID_BYTES + " bytes");
        }
        return sequenceId;
    }
}
