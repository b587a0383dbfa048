// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

import java.util.Optional;

/** The services, one path each. */
public enum ServiceName {
    /** Topics, permissions. */
    TOPIC("/v1/api/topic"),
    /** Put, get, offsets, routes. */
    MESSAGE("/v1/api/message"),
    /** Consumer groups. */
    CONSUMER("/v1/api/consumer"),
    /** Quotas. */
    QUOTA("/v1/api/quota"),
    /** Consumption. */
    METRIC("/v1/api/metric"),
    /** Talos' own: users. */
    ADMIN("/v1/api/admin");

    private final String path;

    ServiceName(String path) {
        this.path = path;
    }

    /** Returns the path that requests for this service name, exactly. */
    public String path() {
        return path;
    }

    /** Returns the service at a path, empty if there is none. */
    public static Optional<ServiceName> atPath(String path) {
        for (ServiceName service : values()) {
            if (service.path.equals(path)) {
                return Optional.of(service);
            }
        }
        return Optional.empty();
    }
}
