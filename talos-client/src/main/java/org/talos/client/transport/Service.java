// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

/** The Thrift services of the protocol, each with its path. */
public enum Service {
    /** Creates, describes and deletes topics, and their permissions. */
    TOPIC("topic"),
    /** Puts and gets messages. */
    MESSAGE("message"),
    /** Locks and offsets of consumer groups. */
    CONSUMER("consumer"),
    /** Lag and state of consumer groups and topics. */
    METRIC("metric"),
    /** Quotas of users and orgs. */
    QUOTA("quota"),
    /** Users, and consumer groups as operators see them. */
    ADMIN("admin");

    private final String name;

    Service(String name) {
        this.name = name;
    }

    String path() {
        return "/v1/api/" + name;
    }
}
