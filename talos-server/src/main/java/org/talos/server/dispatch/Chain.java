// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A list whose elements are its links, so that adding allocates nothing. An element is in at most one chain at a time,
 * and only once. Elements that were cut off stay linked to each other.
 *
 * <p>Confined: the lock of its key.
 */
class Chain<E extends Chain.Link<E>> {
    private @Nullable E first;
    private @Nullable E last;

    /** An element of a chain. Confined: its chain, or the thread that has cut it off. */
    abstract static class Link<E extends Link<E>> {
        private @Nullable E after;
    }

    final @Nullable E first() {
        return first;
    }

    /** Returns the element behind another one. */
    static <E extends Link<E>> @Nullable E after(E element) {
        return ((Link<E>) element).after;
    }

    /** Returns the number of elements from one to the end. */
    static <E extends Link<E>> int length(E from) {
        int length = 0;
        for (E each = from; each != null; each = after(each)) {
            length++;
        }
        return length;
    }

    final boolean isEmpty() {
        return first == null;
    }

    /** Puts an element behind all others. */
    final void add(E element) {
        E end = last;
        if (end == null) {
            first = element;
        } else {
            ((Link<E>) end).after = element;
        }
        last = element;
    }

    /** Cuts off the first elements, at most this number, and returns the first of them. There must be one. */
    final E takeFirst(int most) {
        E head = Objects.requireNonNull(first);
        E end = head;
        E next = after(end);
        for (int taken = 1; taken < most && next != null; taken++) {
            end = next;
            next = after(end);
        }
        cut(null, end, next);
        return head;
    }

    /**
     * Removes the elements that pass a test, which runs once for each. If the test throws, the elements before that one
     * are removed.
     */
    final boolean removeIf(Predicate<? super E> test) {
        boolean removed = false;
        E before = null;
        E next;
        for (E each = first; each != null; each = next) {
            next = after(each);
            if (test.test(each)) {
                cut(before, each, next);
                removed = true;
            } else {
                before = each;
            }
        }
        return removed;
    }

    /** Removes the elements between two elements or the ends; {@code end} is the last one removed. */
    private void cut(@Nullable E before, E end, @Nullable E next) {
        if (before == null) {
            first = next;
        } else {
            ((Link<E>) before).after = next;
        }
        if (next == null) {
            last = before;
        }
        ((Link<E>) end).after = null;
    }
}
