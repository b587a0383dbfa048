// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log.dedupe;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;

/**
 * The properties that an equal put shares with this one, except for the bytes of its messages: a digest, of the same
 * size however long its sequence id and however many its blocks. Halves of SHA-256, so collisions cannot be found.
 *
 * <p>Immutable.
 *
 * @param high digest of the common properties of equal puts
 * @param low its second half
 * @param contentHigh digest of the other properties that two puts with one key must share; 0 without a key
 * @param contentLow its second half
 */
public record PutIdentity(long high, long low, long contentHigh, long contentLow) {
    /** Returns the identity of a put without a sequence id, which equals no other. */
    public static final PutIdentity NONE = new PutIdentity(0, 0, 0, 0);

    private static final int BYTES_OF_BLOCK = 4 * Integer.BYTES + Long.BYTES;
    private static final byte OF_BLOCKS = 0;
    private static final byte OF_KEY = 1;

    // One per thread: a new one for each put would be most of an identity's allocations.
    private static final ThreadLocal<MessageDigest> SHA_256 = ThreadLocal.withInitial(PutIdentity::sha256);

    /** A block without its bytes. Immutable. */
    public record BlockIdentity(int checksum, int bytes, int messages, int compression, long createTimestamp) {}

    /** Returns the identity of a put by its sequence id together with its blocks. */
    public static PutIdentity ofBlocks(String sequenceId, List<BlockIdentity> blocks) {
        byte[] id = sequenceId.getBytes(StandardCharsets.UTF_8);
        ByteBuffer all = ByteBuffer.allocate(1 + Integer.BYTES + id.length + blocks.size() * BYTES_OF_BLOCK);
        all.put(OF_BLOCKS).putInt(id.length).put(id);
        for (BlockIdentity each : blocks) {
            all.putInt(each.checksum).putInt(each.bytes).putInt(each.messages);
            all.putInt(each.compression).putLong(each.createTimestamp);
        }
        ByteBuffer digest = digest(all.array());
        return new PutIdentity(digest.getLong(), digest.getLong(), 0, 0);
    }

    /** Returns the identity of a put by its client's key alone. */
    public static PutIdentity ofKey(String key, String content) {
        byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
        ByteBuffer digest = digest(
                ByteBuffer.allocate(1 + bytes.length).put(OF_KEY).put(bytes).array());
        ByteBuffer ofContent = digest(content.getBytes(StandardCharsets.UTF_8));
        return new PutIdentity(digest.getLong(), digest.getLong(), ofContent.getLong(), ofContent.getLong());
    }

    /** Returns whether two puts of one key are the same put. */
    public boolean hasContentOf(PutIdentity other) {
        return contentHigh == other.contentHigh && contentLow == other.contentLow;
    }

    private static ByteBuffer digest(byte[] bytes) {
        MessageDigest sha256 = SHA_256.get();
        sha256.reset(); // of bytes that an error may have left in it
        return ByteBuffer.wrap(sha256.digest(bytes));
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new LinkageError("every JDK has SHA-256", e);
        }
    }
}
