// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.tls;

import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Explains in a sentence why TLS with another server failed, with the remedy. Immutable. */
public final class TlsFailure {
    /** The failure at a server that talks TLS, to one that does not. */
    public static final String NOT_TAKEN_HERE =
            "the other server began TLS, and transfer.tls.mode is none here: give this server its certificate and"
                    + " transfer.tls.mode: accept, before others require it";
    /** The failure at a server that sends plain requests, to one that requires TLS. */
    public static final String REQUIRED_HERE =
            "the other server sent without TLS, and transfer.tls.mode is require here: it needs a certificate and"
                    + " transfer.tls.mode: accept, or this one has to go back to accept";
    /** The failure at a server that sends plain requests: the other one requires TLS. */
    public static final String REQUIRED_THERE =
            "the other server requires TLS, and transfer.tls.mode is none here: give this server its certificate and"
                    + " transfer.tls.mode: accept";
    /** The failure at a server that talks TLS: the other one ended the connection at once. */
    public static final String NOT_TAKEN_THERE =
            "the other server closed the connection when this one began TLS: is transfer.tls.mode none there? Give it"
                    + " its certificate and transfer.tls.mode: accept, before others require it";

    /** The failure at a server to which another one connected: that one ended the connection. */
    public static final String ENDED_THERE =
            "the other server ended the connection before TLS was agreed upon: its log says why";

    private TlsFailure() {}

    /** Returns whether TLS has failed, not the network. */
    public static boolean is(@Nullable Throwable failure) {
        return find(failure) != null;
    }

    private static @Nullable Throwable find(@Nullable Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof SSLException) {
                return each;
            }
        }
        return null;
    }

    /** Returns why TLS has failed. */
    public static String sentence(Throwable failure) {
        Throwable tls = find(failure);
        String said = String.valueOf((tls == null ? failure : tls).getMessage());
        if (said.startsWith("Received fatal alert")) {
            return "the other server refused this one: its log says why; it may not trust this server's certificate"
                    + " (transfer.tls.certificateFile), or want another name in it (" + said + ")";
        }
        if (said.startsWith("Empty client certificate chain")) {
            return "the other server showed no certificate, or has none of an authority in transfer.tls.trustedFile here";
        }
        return "TLS with the other server failed: " + innermost(failure);
    }

    private static String innermost(Throwable failure) {
        String said = failure.toString();
        for (Throwable each = failure; each != null; each = each.getCause()) {
            said = each.getMessage() == null ? said : each.getClass().getSimpleName() + ": " + each.getMessage();
        }
        return said;
    }
}
