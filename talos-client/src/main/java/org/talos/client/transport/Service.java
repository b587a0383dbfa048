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
    /** Quotas. */
    QUOTA("quota"),
    /** Users. */
    ADMIN("admin");

    private final String name;

    Service(String name) {
        this.name = name;
    }

    String path() {
        return "/v1/api/" + name;
    }
}
