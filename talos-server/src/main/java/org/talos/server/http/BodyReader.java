// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;
import org.talos.server.memory.RequestMemory;

/**
 * Reads a body into one array of its size, as it arrives, without a waiting thread. The memory is reserved in the
 * sender's share before it is allocated: at once for a declared length, otherwise piece by piece, and once more for the
 * array into which the pieces are joined.
 *
 * <p>The signature covers the body as it was sent, but Jetty's {@code CompressionHandler} decodes it before any handler
 * runs. The array has room for the frame of a message.
 *
 * <p>Confined: one callback of the request at a time.
 */
final class BodyReader extends BodyTask {
    private static final int FIRST_PIECE_BYTES = 4 << 10;
    private static final int LARGEST_PIECE_BYTES = 1 << 20;
    private static final String NO_MEMORY = "The server has no memory for the body now.";
    private static final String NEVER_FITS =
            "The body never fits in http.maxRequestMemoryBytes: send less at once, and its length in Content-Length.";

    private final long declared;
    private final long limit;
    private final int room;
    private final RequestMemory held; // by the request, without the body
    private final BodyPace pace;
    private final Listener listener;
    private final List<ByteBuffer> pieces = new ArrayList<>(1); // for a declared length a single one, with its room
    private int length;
    private long reserved;
    private @Nullable Refusal refusal;

    /**
     * Is notified once of the result of reading, except for {@link #threw}; must release the memory from then on.
     * Confined: as the reader.
     */
    interface Listener {
        /** The body is there, with its room on both sides in the same array. */
        void complete(ByteBuffer body, long reservedBytes);

        /** The body is not read any further. */
        void refused(int status, String sentence, long reservedBytes);

        /** Called when no part of the body came for as long as a connection may be idle. */
        void timedOut(long reservedBytes);

        /** The connection has failed. */
        void failed(Throwable cause, long reservedBytes);

        /** The reading has thrown, or another of these methods has. */
        void threw(Throwable cause, long reservedBytes);
    }

    /**
     * A reader that has not begun.
     *
     * @param limit of the body
     * @param room free bytes in front of the body, and as many behind it
     * @param held memory that the request already holds; the body is taken from the same share
     */
    BodyReader(
            Request request,
            long limit,
            int room,
            RequestMemory held,
            BodyPace pace,
            Callbacks callbacks,
            Listener listener) {
        super(request, callbacks);
        this.declared = request.getLength();
        this.limit = limit;
        this.room = room;
        this.held = held;
        this.pace = pace;
        this.listener = listener;
    }

    @Override
    boolean take(ByteBuffer piece) {
        int more = piece.remaining();
        if (length + (long) more > limit) {
            refusal = Refusal.bodyUnread(HttpPort.TOO_LARGE, "The body is larger than " + limit + " bytes.");
            return false;
        }
        if (more == 0) {
            return true;
        }
        if (!copy(piece)) {
            return false;
        }
        length += more;
        return true;
    }

    /** Copies the received bytes into the last piece and further ones; returns false if there is no memory for them. */
    private boolean copy(ByteBuffer more) {
        while (more.hasRemaining()) {
            if ((pieces.isEmpty() || !lastPiece().hasRemaining()) && !addPiece(more.remaining())) {
                return false;
            }
            ByteBuffer last = lastPiece();
            int now = Math.min(more.remaining(), last.remaining());
            last.put(more.slice().limit(now));
            more.position(more.position() + now);
        }
        return true;
    }

    private ByteBuffer lastPiece() {
        return pieces.get(pieces.size() - 1);
    }

    private boolean addPiece(int needed) {
        if (isWhole()) {
            return reserve(declared + 2L * room) && pieces.add(withRoom((int) declared));
        }
        int more = Math.min(LARGEST_PIECE_BYTES, Math.max(FIRST_PIECE_BYTES, length / 2));
        int size = (int) Math.max(needed, Math.min(more, limit - length));
        return reserve(size) && pieces.add(ByteBuffer.allocate(size));
    }

    /** Returns whether the length is known, so that one piece is the whole body. */
    private boolean isWhole() {
        return declared >= 0;
    }

    private boolean reserve(long bytes) {
        if (!held.share().tryReserve(bytes)) {
            refusal = noMemory(bytes);
            return false;
        }
        reserved += bytes;
        return true;
    }

    /** Returns the refusal for bytes that could not be reserved: 413 if they never fit. */
    private Refusal noMemory(long bytes) {
        return bytes > held.share().mostBeside(held.heldBytes() + reserved)
                ? Refusal.bodyUnread(HttpPort.TOO_LARGE, NEVER_FITS)
                : Refusal.bodyUnread(HttpPort.UNAVAILABLE, NO_MEMORY);
    }

    private ByteBuffer withRoom(int bytes) {
        return ByteBuffer.allocate(bytes + 2 * room).position(room).limit(room + bytes);
    }

    /** Returns the body as one array; pieces are copied into it. Empty if there is no memory for it. */
    private Optional<ByteBuffer> whole() {
        if (length == 0) {
            return Optional.of(ByteBuffer.allocate(0));
        }
        if (isWhole()) {
            return Optional.of(lastPiece().limit(room + length).position(room));
        }
        long inPieces = reserved;
        if (!reserve(length + 2L * room)) {
            return Optional.empty();
        }
        ByteBuffer whole = withRoom(length);
        pieces.forEach(each -> whole.put(each.flip()));
        pieces.clear();
        held.share().release(inPieces);
        reserved -= inPieces;
        return Optional.of(whole.position(room));
    }

    @Override
    boolean awaitsMore() {
        if (pace.isTooSlow(length)) {
            listener.refused(HttpPort.TOO_SLOW, "The body comes too slowly.", handOver());
            return false;
        }
        return true;
    }

    @Override
    void end(boolean bodyEnded) {
        Optional<ByteBuffer> body = refusal == null ? whole() : Optional.empty();
        if (refusal != null) {
            listener.refused(refusal.status(), refusal.sentence(), handOver());
        } else {
            listener.complete(body.orElseThrow(), handOver());
        }
    }

    @Override
    void timedOut() {
        listener.timedOut(handOver());
    }

    @Override
    void failed(Throwable cause) {
        listener.failed(cause, handOver());
    }

    @Override
    void threw(Throwable cause) {
        listener.threw(cause, handOver());
    }

    private long handOver() {
        long bytes = reserved;
        reserved = 0;
        return bytes;
    }
}
