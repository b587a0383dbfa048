// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import org.jspecify.annotations.Nullable;

/**
 * A list whose elements are its links: adding makes nothing, and removing from the middle costs the same as from an
 * end. An element is in one chain at a time.
 *
 * <p>Confined: the lock of its key.
 */
final class Chain<E extends Chain.Link<E>> {
    private @Nullable E first;
    private @Nullable E last;

    /** What can stand in a chain. Confined: its chain. */
    abstract static class Link<E extends Link<E>> {
        private @Nullable E before;
        private @Nullable E after;
        private boolean linked;

        final boolean isLinked() {
            return linked;
        }
    }

    @Nullable
    E first() {
        return first;
    }

    /** What stands behind an element of this chain. */
    @Nullable
    E after(E element) {
        Link<E> link = element;
        return link.after;
    }

    boolean isEmpty() {
        return first == null;
    }

    /** Puts an element behind all others. */
    void add(E element) {
        Link<E> link = element;
        E end = last;
        link.before = end;
        link.linked = true;
        if (end == null) {
            first = element;
        } else {
            ((Link<E>) end).after = element;
        }
        last = element;
    }

    /** Takes out an element of this chain. */
    void remove(E element) {
        Link<E> link = element;
        E before = link.before;
        E after = link.after;
        if (before == null) {
            first = after;
        } else {
            ((Link<E>) before).after = after;
        }
        if (after == null) {
            last = before;
        } else {
            ((Link<E>) after).before = before;
        }
        link.before = null;
        link.after = null;
        link.linked = false;
    }
}
