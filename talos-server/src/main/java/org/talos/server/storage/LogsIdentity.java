// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.talos.common.error.Effect;
import org.talos.server.storage.StorageException.Reason;

/**
 * The file beside the logs that says which rows belong to them: the rows have the same identity. With the logs of
 * another store, every segment would be missing.
 *
 * <p>A file with the text {@code talos store 1}, a space, 32 hex digits and a line feed. It is created under another
 * name, and renamed once the rows have it too. So after an interruption it is known which of the two is incomplete.
 *
 * <p>Confined: to the thread that sets up a store or starts a server. Every call blocks.
 */
public interface LogsIdentity extends AutoCloseable {
    /** The text up to the identity. */
    String FORM = "talos store 1 ";

    /**
     * Returns the identity; empty if there is none.
     *
     * @throws StorageException UNAVAILABLE; CORRUPT: the file has another form
     */
    Optional<String> find() throws StorageException;

    /** Returns an identity that was begun; empty if there is none, or if that is incomplete. */
    Optional<String> begun() throws StorageException;

    /** Stores an identity under another name, replacing an earlier one. */
    void begin(String identity) throws StorageException;

    /** Gives the new identity its final name. */
    void finish() throws StorageException;

    /** Returns whether a segment's file is there. */
    boolean holds(SegmentName name) throws StorageException;

    /** Returns the place of the logs, for messages. */
    String place();

    @Override
    void close();

    /** Returns the contents of the file. */
    static byte[] encode(String identity) {
        return (FORM + identity + "\n").getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Returns the identity in a file.
     *
     * @throws StorageException CORRUPT: another form
     */
    static String decode(byte[] file, String name) throws StorageException {
        Matcher matcher = Pattern.compile(Pattern.quote(FORM) + "([0-9a-f]{32})\n")
                .matcher(new String(file, StandardCharsets.US_ASCII));
        if (!matcher.matches()) {
            throw new StorageException(
                    Reason.CORRUPT,
                    Effect.NONE,
                    name + " is not the identity of a store (expected: '" + FORM + "' and 32 hex digits)",
                    null);
        }
        return matcher.group(1);
    }
}
