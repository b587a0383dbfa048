// SPDX-License-Identifier: Apache-2.0
package org.talos.server.memory;

import java.util.Optional;
import java.util.function.ToLongFunction;
import org.talos.common.error.TalosException;
import org.talos.common.message.MalformedBlockException;
import org.talos.common.message.MessageBlocks;
import org.talos.common.message.MissingLibraryException;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

/**
 * Opens blocks of clients in memory that is reserved before it is used: 2 KB of zstd may hold 64 MiB, and those eight
 * million messages.
 *
 * <p>Immutable.
 *
 * @param maxPlainBytes largest size of a block after decompression
 * @param copies of those bytes, or of their decoded form, while it is open
 * @param plainCopies likewise, of a block that is not compressed
 * @param messageBytes of each message besides
 */
public record BlockOpening(long maxPlainBytes, int copies, int plainCopies, int messageBytes) {
    /**
     * Ratios of plain bytes to compressed ones, tried in turn, as the size of a block's content is known only after it
     * was read. The last one takes all free memory.
     */
    private static final int[] RATIOS = {4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, Integer.MAX_VALUE};

    /**
     * The reader of a plain block holds it during this time, and memory that a user holds counts twice
     * ({@link MemoryBudget}).
     */
    private static final int COUNTED_OF_HELD = 2;

    /** Where the memory is reserved. */
    public interface Memory {
        /** Returns the most that can be reserved at all, if no other user holds memory. */
        long mostBytes();

        /** Returns the most that could be reserved now; may be negative. */
        long freeBytes();

        /** Reserves bytes; throws an exception of its own if there are not so many. */
        void reserve(long bytes);

        /** Gives some of the bytes back. */
        void release(long bytes);
    }

    /** A task with a block. */
    @FunctionalInterface
    public interface Work<T> {
        /** Reads a block that may hold this number of bytes; called again with more if it holds more. */
        T read(MessageBlock block, long maxPlainBytes) throws MalformedBlockException;
    }

    /**
     * Reads a block, with all free memory if that is less than the most that can be reserved. If it is too little,
     * throws the exception of {@link Memory#reserve}.
     *
     * @param kept bytes of the result, which stay reserved
     * @throws MalformedBlockException it cannot be read; if it is too large, it holds more than it may, or than there
     *     is ever memory for
     * @throws TalosException OPERATION_FAILED: this process lacks the library of its compression
     */
    public <T> T open(MessageBlock block, Memory memory, Work<T> work, ToLongFunction<T> kept)
            throws MalformedBlockException {
        long size = block.bufferForMessageBlock().remaining();
        if (block.getCompressionType() == MessageCompressionType.NONE) {
            long asked = bytesFor(block, size, plainCopies);
            if (asked + COUNTED_OF_HELD * size > memory.mostBytes()) {
                throw neverEnough();
            }
            return open(block, size, asked, memory, work, kept);
        }
        long most = mostPlainBytes(block, memory.mostBytes());
        long tried = 0;
        for (int ratio : RATIOS) {
            long now = Math.min(most, mostPlainBytes(block, memory.freeBytes()));
            long allowed = Math.min(now, size * ratio);
            if (allowed >= most || allowed <= tried) {
                break;
            }
            Optional<T> result = tryOpen(block, allowed, memory, work, kept);
            if (result.isPresent()) {
                return result.get();
            }
            tried = allowed;
        }
        return open(block, most, memory, work, kept);
    }

    /** Returns the bytes to reserve for reading a block that may hold this number of bytes. */
    public long bytesFor(MessageBlock block, long plainBytes) {
        return bytesFor(block, plainBytes, copies);
    }

    private long bytesFor(MessageBlock block, long plainBytes, int copiesOfBytes) {
        long messagesAtMost = Math.min(block.getMessageNumber(), plainBytes / MessageBlocks.MIN_MESSAGE_BYTES);
        return plainBytes * copiesOfBytes + messagesAtMost * messageBytes;
    }

    /** Returns the failure to read a block for which there is no room however little others hold. */
    public static MalformedBlockException neverEnough() {
        return MalformedBlockException.tooLarge("to read it takes more memory than this server gives to a request");
    }

    /** Returns the most plain bytes of a block for which there can be memory. */
    private long mostPlainBytes(MessageBlock block, long memoryBytes) {
        long byCount = (memoryBytes - (long) block.getMessageNumber() * messageBytes) / copies;
        long whateverCount = memoryBytes / (copies + messageBytes / MessageBlocks.MIN_MESSAGE_BYTES);
        return Math.min(maxPlainBytes, Math.max(byCount, whateverCount));
    }

    /** Empty if it holds more. */
    private <T> Optional<T> tryOpen(
            MessageBlock block, long allowed, Memory memory, Work<T> work, ToLongFunction<T> kept)
            throws MalformedBlockException {
        try {
            return Optional.of(open(block, allowed, memory, work, kept));
        } catch (MalformedBlockException e) {
            if (e.isTooLarge()) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private <T> T open(MessageBlock block, long allowed, Memory memory, Work<T> work, ToLongFunction<T> kept)
            throws MalformedBlockException {
        long asked = bytesFor(block, allowed);
        if (asked > memory.mostBytes()) {
            throw neverEnough();
        }
        return open(block, allowed, asked, memory, work, kept);
    }

    private <T> T open(
            MessageBlock block, long allowed, long asked, Memory memory, Work<T> work, ToLongFunction<T> kept)
            throws MalformedBlockException {
        memory.reserve(asked);
        long left = 0;
        try {
            T result = work.read(block, allowed);
            left = kept.applyAsLong(result);
            return result;
        } catch (MissingLibraryException e) { // it has directories of this machine, which no client may see
            throw TalosException.refused(
                    ErrorCode.OPERATION_FAILED,
                    "this server cannot read a block in " + block.getCompressionType()
                            + ", as it lacks a library: its log says why");
        } finally {
            memory.release(asked - Math.min(asked, left));
        }
    }
}
