// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime;

import java.io.IOException;
import java.net.BindException;
import java.nio.channels.UnresolvedAddressException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.talos.common.name.HostAndPort;

/** Explains why a port cannot be opened, and names the settings that fix it. Immutable. */
public final class PortFailure {
    private static final String IN_USE = "in use";

    private PortFailure() {}

    /**
     * Returns the failure to open a port.
     *
     * @param part of the configuration that has {@code host} and {@code port}, such as {@code http}
     * @param cause the failure of the port's start
     */
    public static IOException of(String part, String host, int port, Exception cause) {
        @Nullable Throwable reason = reason(cause);
        if (reason == null) {
            return cause instanceof IOException failure
                    ? failure
                    : new IOException("the port of " + part + " cannot be opened: " + cause.getMessage(), cause);
        }
        String environment = "TALOS_" + part.toUpperCase(Locale.ROOT);
        String why =
                reason instanceof UnresolvedAddressException ? "no such host" : String.valueOf(reason.getMessage());
        String next = why.contains(IN_USE)
                ? "another program has it, perhaps another server: set " + part + ".port (" + environment
                        + "_PORT) to another one, 0 takes a free one"
                : "set " + part + ".host (" + environment + "_HOST) to an address of this machine, " + part + ".port ("
                        + environment + "_PORT) to a port that this user may open";
        return new IOException(
                part + ".host and " + part + ".port: cannot listen on " + HostAndPort.of(host, port) + ": " + why + " ("
                        + next + ")",
                cause);
    }

    private static @Nullable Throwable reason(Throwable failure) {
        for (@Nullable Throwable each = failure; each != null; each = each.getCause()) {
            if (isReason(each)) {
                return each;
            }
        }
        return null;
    }

    /** Libraries wrap a failure to bind in others of the same kind: the innermost has the system's message. */
    private static boolean isReason(Throwable each) {
        return each instanceof UnresolvedAddressException
                || (each instanceof BindException && !(each.getCause() instanceof BindException));
    }
}
