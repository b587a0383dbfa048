// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

import org.apache.thrift.TBase;
import org.jspecify.annotations.Nullable;
import org.talos.common.Release;
import org.talos.common.error.TalosException;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.Version;

/**
 * Registers the calls that every service of the contract has: the version of this server, and the check of a client's.
 *
 * <p>Immutable.
 */
public final class VersionCalls implements ThriftCalls {
    private static final int SERVED_MAJOR_VERSION = 1;
    private static final Version VERSION = version();

    @Override
    public void addTo(CallTable table) {
        for (ServiceName service : ServiceName.values()) {
            table.simple(service, "getServiceVersion", context -> VERSION.deepCopy());
            table.immediate(service, "validClientVersion", Version::new, (caller, version) -> served(version));
        }
    }

    private static Version version() {
        Version version = new Version();
        version.setMajor(SERVED_MAJOR_VERSION);
        version.setMinor(0);
        version.setRevision(0);
        version.setDate("20261120");
        version.setDetails("Talos " + Release.version());
        return version;
    }

    private static @Nullable TBase<?, ?> served(Version client) {
        if (client.getMajor() != SERVED_MAJOR_VERSION) {
            throw TalosException.refused(
                    ErrorCode.OPERATION_FAILED,
                    "client version " + client.getMajor() + " is not served (expected: " + SERVED_MAJOR_VERSION + ")");
        }
        return null;
    }
}
