// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.body;

import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Bodies one after another, each asked for when the one before has ended.
 *
 * <p>Confined: the writer of one answer.
 */
public final class Sequence implements Body {
    private final Iterator<? extends Body> bodies;
    private @Nullable Body current;
    private long mostBytes;

    /**
     * Creates a sequence.
     *
     * @param mostBytes of all of them together
     */
    public Sequence(Iterator<? extends Body> bodies, long mostBytes) {
        this.bodies = bodies;
        this.mostBytes = mostBytes;
    }

    /** Returns a sequence of bodies that are known. */
    public static Sequence of(List<Body> bodies) {
        return new Sequence(
                bodies.iterator(), bodies.stream().mapToLong(Body::mostBytes).sum());
    }

    @Override
    public void fill(ByteBuffer target) {
        int start = target.position();
        while (!isDone()) {
            Body next = current == null ? bodies.next() : current;
            next.fill(target);
            if (!next.isDone()) { // the target is full
                current = next;
                break;
            }
            current = null;
        }
        mostBytes -= target.position() - start;
    }

    @Override
    public boolean isDone() {
        return current == null && !bodies.hasNext();
    }

    @Override
    public long mostBytes() {
        return isDone() ? 0 : mostBytes;
    }
}
