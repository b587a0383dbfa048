// SPDX-License-Identifier: Apache-2.0
package org.talos.check.verdict;

import java.util.ArrayList;
import java.util.List;
import org.talos.check.history.Entry;
import org.talos.check.history.Operation;
import org.talos.check.history.Outcome;

/**
 * A value with all puts that sent it; more than one if a put was repeated on purpose.
 *
 * <p>Confined: the thread that builds {@link Facts}; then it is not changed.
 */
final class Sent {
    private final String value;
    private final String key;
    private final List<Operation> operations = new ArrayList<>(Facts.FEW);
    private long offset = Entry.UNKNOWN;

    Sent(String value, String key) {
        this.value = value;
        this.key = key;
    }

    void add(Operation operation, long answered) {
        operations.add(operation);
        if (operation.ok() && answered != Entry.UNKNOWN) {
            offset = answered;
        }
    }

    String value() {
        return value;
    }

    String key() {
        return key;
    }

    List<Operation> operations() {
        return operations;
    }

    Operation first() {
        return operations.get(0);
    }

    /** The offset that an answer gave, else {@link Entry#UNKNOWN}. */
    long offset() {
        return offset;
    }

    /** OK if any attempt succeeded; FAIL only if every attempt certainly had no effect. */
    Outcome outcome() {
        if (operations.stream().anyMatch(Operation::ok)) {
            return Outcome.OK;
        }
        return operations.stream().allMatch(each -> each.outcome() == Outcome.FAIL) ? Outcome.FAIL : Outcome.INFO;
    }

    boolean acknowledged() {
        return outcome() == Outcome.OK;
    }

    /** The start of the first attempt: the value was not stored before. */
    long begun() {
        return operations.stream().mapToLong(each -> each.span().start()).min().orElse(Long.MAX_VALUE);
    }

    /** The end of the first successful attempt: the value was stored from here on. */
    long done() {
        return operations.stream()
                .filter(Operation::ok)
                .mapToLong(each -> each.span().end())
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /** Returns whether it was sent again in a way in which a server cannot recognize the repetition. */
    boolean repeatedWithoutIdentity() {
        return operations.stream()
                .anyMatch(each -> each.identity().isEmpty() && (each.tries() > 1 || operations.size() > 1));
    }
}
