// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

/** Registers the calls of the contract that belong to one subject. Thread-safe. */
@FunctionalInterface
public interface ThriftCalls {
    /** Adds the calls to a table, each under its name in the contract. */
    void addTo(CallTable table);
}
