// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import java.net.HttpURLConnection;
import java.net.ProtocolException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Status and headers of an HTTP/1 answer, and the framing of its body.
 *
 * <p>Confined: the reader of the answer.
 */
public final class AnswerHead {
    /** The length of a body in chunks. */
    static final long CHUNKED = -1;
    /** The length of a body that ends with the connection. */
    static final long TO_THE_END = -2;

    private static final int VERSION_CHARS = "HTTP/1.1".length();
    private static final int STATUS_DIGITS = 3;
    private static final int LEAST_STATUS = 100;
    private static final int MOST_LENGTH_DIGITS = 18;
    private static final int SWITCHING_PROTOCOLS = 101;

    private final boolean isOfVersion11;
    private final int status;
    private final Map<String, String> headers = new HashMap<>();

    /** Creates a head of which only the first line is known. */
    public AnswerHead(String statusLine) throws ProtocolException {
        isOfVersion11 = statusLine.startsWith("HTTP/1.1 ");
        if (!isOfVersion11 && !statusLine.startsWith("HTTP/1.0 ")) {
            throw new ProtocolException("an answer that is none of HTTP/1: " + shown(statusLine));
        }
        int end = statusLine.indexOf(' ', VERSION_CHARS + 1);
        String code = statusLine.substring(VERSION_CHARS + 1, end < 0 ? statusLine.length() : end);
        status = (int) number(code, STATUS_DIGITS);
        if (status < LEAST_STATUS) {
            throw new ProtocolException("an answer without a status: " + shown(statusLine));
        }
    }

    /** Adds a header. */
    public void add(String line) throws ProtocolException {
        int colon = line.indexOf(':');
        if (colon < 1 || line.charAt(0) <= ' ' || line.charAt(colon - 1) <= ' ') {
            throw new ProtocolException("an answer with a header that is none: " + shown(line));
        }
        String value = line.substring(colon + 1).strip();
        headers.merge(line.substring(0, colon).toLowerCase(Locale.ROOT), value, (before, more) -> before + ", " + more);
    }

    private static String shown(String text) {
        return text.length() > 40 ? text.substring(0, 40) + "…" : text;
    }

    /** Returns the status. */
    public int status() {
        return status;
    }

    /** Returns the headers, by names in lower case. */
    public Map<String, String> headers() {
        return headers;
    }

    /** Returns whether the answer proper is still to come. */
    boolean isInterim() throws ProtocolException {
        if (status == SWITCHING_PROTOCOLS) {
            throw new ProtocolException("an answer that changes the protocol");
        }
        return status < HttpURLConnection.HTTP_OK;
    }

    /** Returns the bytes of the body, {@link #CHUNKED} or {@link #TO_THE_END}. */
    long bodyLength() throws ProtocolException {
        if (status == HttpURLConnection.HTTP_NO_CONTENT || status == HttpURLConnection.HTTP_NOT_MODIFIED) {
            return 0;
        }
        Optional<String> coding = Optional.ofNullable(headers.get("transfer-encoding"));
        if (coding.isPresent()) {
            if (!coding.get().equalsIgnoreCase("chunked")) {
                throw new ProtocolException("an answer in the coding " + shown(coding.get()));
            }
            return CHUNKED;
        }
        String length = headers.get("content-length");
        if (length == null) {
            return TO_THE_END;
        }
        long bytes = number(length, MOST_LENGTH_DIGITS);
        if (bytes < 0) {
            throw new ProtocolException("an answer of the length " + shown(length));
        }
        return bytes;
    }

    /** Returns the number of a text of digits; -1 if it is not a number, or has too many digits. */
    private static long number(String digits, int most) {
        if (digits.isEmpty() || digits.length() > most) {
            return -1;
        }
        long number = 0;
        for (int i = 0; i < digits.length(); i++) {
            int digit = digits.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            number = 10 * number + digit;
        }
        return number;
    }

    /** Returns whether the connection may serve another request, once the body has been read. */
    boolean isKeptAlive() throws ProtocolException {
        String connection = headers.getOrDefault("connection", "");
        return isOfVersion11
                && !connection.toLowerCase(Locale.ROOT).contains("close")
                && bodyLength() != TO_THE_END
                && !(headers.containsKey("transfer-encoding") && headers.containsKey("content-length"));
    }
}
