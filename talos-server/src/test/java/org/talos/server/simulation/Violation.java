// SPDX-License-Identifier: Apache-2.0
package org.talos.server.simulation;

/** Something that must always hold did not. An error, so that nobody on the way takes it for a failure of storage. */
public final class Violation extends AssertionError {
    private static final long serialVersionUID = 1;

    private final String promise;

    /** A promise, and what broke it. */
    public Violation(String promise, String what) {
        super(promise + ": " + what);
        this.promise = promise;
    }

    /** Its name. */
    public String promise() {
        return promise;
    }
}
