// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertificateException;
import java.util.Locale;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.talos.client.TalosClientException;

/**
 * The fault of a connection: decides the advice for calls of the SDK and over REST alike. Of several causes the first
 * of these values counts. A server certainly carried out nothing, unless the fault is {@link #UNKNOWN}.
 */
enum ConnectionFault {
    /** The server's certificate is not trusted. */
    UNTRUSTED,
    /** One side speaks TLS, and the other does not. */
    OTHER_SCHEME,
    /** The host's name is unknown. */
    UNKNOWN_HOST,
    /** No server takes connections at the address. */
    NO_SERVER,
    /** Both sides speak TLS and have not agreed on a connection. */
    NO_HANDSHAKE,
    /** All others: the server may have got the request. */
    UNKNOWN;

    /** The JDK has no exception of its own for it. It is thrown before any record of TLS has come. */
    private static final String NO_TLS = "unrecognized ssl message";

    /** The beginning of an alert, by which a server of TLS answers a request without TLS. */
    private static final String ALERT = "\u0015\u0003";

    /** Returns the fault that a failure and its causes tell. */
    static ConnectionFault of(Throwable failure) {
        ConnectionFault found = UNKNOWN;
        for (Throwable each = failure; each != null; each = each.getCause()) {
            ConnectionFault one = ofOne(each);
            found = one.compareTo(found) < 0 ? one : found;
        }
        return found;
    }

    private static ConnectionFault ofOne(Throwable failure) {
        if (failure instanceof CertificateException) {
            return UNTRUSTED;
        }
        if (isOtherScheme(failure, String.valueOf(failure.getMessage()))) {
            return OTHER_SCHEME;
        }
        if (failure instanceof UnknownHostException || failure instanceof UnresolvedAddressException) {
            return UNKNOWN_HOST;
        }
        if (failure instanceof ConnectException || failure instanceof HttpConnectTimeoutException) {
            return NO_SERVER;
        }
        return failure instanceof SSLHandshakeException ? NO_HANDSHAKE : UNKNOWN;
    }

    private static boolean isOtherScheme(Throwable failure, String message) {
        if (failure instanceof TalosClientException) {
            return message.contains("(expected: http)")
                    || message.contains("(expected: https)")
                    || message.contains("no TLS within");
        }
        return failure instanceof SSLException
                ? message.toLowerCase(Locale.ROOT).contains(NO_TLS)
                : failure instanceof IOException && message.contains(ALERT);
    }
}
