// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport.socket;

import java.net.URI;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertificateException;
import java.util.Locale;
import java.util.Optional;
import javax.net.ssl.SSLException;

/**
 * Distinguishes connection failures that no retry fixes from temporary ones. None of them has an effect at the server.
 * Immutable.
 */
public final class LastingFault {
    private static final String NO_TLS = "unrecognized ssl message"; // the JDK has no exception of its own for it

    private LastingFault() {}

    /**
     * Returns the sentence for a failure that no retry at the same server fixes: the fault, and the expected state.
     * Empty for other failures.
     *
     * @param wasReached whether the server has answered before: then a name that cannot be resolved is a fault of the
     *     moment
     */
    public static Optional<String> of(URI server, Throwable failure, boolean wasReached) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof UnknownHostException || each instanceof UnresolvedAddressException) {
                return wasReached ? Optional.empty() : Optional.of(unknownHost(server));
            }
            if (each instanceof CertificateException) {
                return Optional.of("the certificate of " + server + " is not trusted: " + innermost(each)
                        + " (expected: one that the JVM trusts, or a context for ClientConfig.withTls)");
            }
            if (each instanceof ProxyLoginException) {
                return Optional.of(why(each));
            }
            if (each instanceof TlsAnswerException) {
                return Optional.of("the server at " + server + " speaks TLS (expected: https)");
            }
            if (each instanceof SSLException && isNoTls(each)) {
                return Optional.of("the server at " + server + " does not speak TLS (expected: http)");
            }
        }
        return Optional.empty();
    }

    private static String unknownHost(URI server) {
        return "the host of " + server + " is unknown (expected: an address, or a name that this machine resolves)";
    }

    private static boolean isNoTls(Throwable failure) {
        return String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT).contains(NO_TLS);
    }

    /** Returns the message of the last cause, which names the fault; else of the first. */
    private static String innermost(Throwable failure) {
        Throwable last = failure;
        for (Throwable next = last.getCause(); next != null; next = next.getCause()) {
            last = next.getMessage() == null ? last : next;
        }
        return String.valueOf(last.getMessage());
    }

    /** Returns an exception's message; without one, those of its causes, or its name. */
    public static String why(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            String message = each.getMessage();
            if (message != null && !message.isBlank()) {
                return message;
            }
        }
        return failure.getClass().getSimpleName();
    }
}
