// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

/** The services, one path each. */
public enum Service {
    /** Topics. */
    TOPIC("topic"),
    /** Messages. */
    MESSAGE("message"),
    /** Consumer groups. */
    CONSUMER("consumer"),
    /** What groups and topics do. */
    METRIC("metric"),
    /** Quotas. */
    QUOTA("quota"),
    /** Users, and groups as people look at them. */
    ADMIN("admin");

    private final String name;

    Service(String name) {
        this.name = name;
    }

    String path() {
        return "/v1/api/" + name;
    }
}
