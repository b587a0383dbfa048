// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.console;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;

/** An answer that shows a page, or says where it is. Immutable. */
record PageAnswer(int status, Map<String, String> headers, List<ByteBuffer> body) {
    private static final String GZIP = "gzip";
    private static final String FOR_EVER = "public, max-age=31536000, immutable";
    /** Kept, and asked for each time whether it is still the same. */
    private static final String ASK = "no-cache";

    /** The headers of every answer. */
    private static final Map<String, String> ALWAYS = Map.of(
            "X-Content-Type-Options", "nosniff",
            "Referrer-Policy", "no-referrer",
            "Cross-Origin-Opener-Policy", "same-origin",
            "Cross-Origin-Resource-Policy", "same-origin",
            "X-Frame-Options", "DENY");

    /**
     * Shows a page.
     *
     * @param asked headers of the request
     * @param policy content security policy
     */
    static PageAnswer of(int status, Page page, HttpFields asked, String policy, boolean immutable) {
        boolean gzip = page.isCompressible()
                && asked.getQualityCSV(HttpHeader.ACCEPT_ENCODING).contains(GZIP);
        Map<String, String> headers = new TreeMap<>(ALWAYS);
        headers.put("Content-Security-Policy", policy);
        headers.put("Cache-Control", immutable ? FOR_EVER : ASK);
        headers.put("ETag", page.etag(gzip));
        if (page.isCompressible()) {
            headers.put("Vary", "Accept-Encoding");
        }
        Optional<String> known = Optional.ofNullable(asked.get(HttpHeader.IF_NONE_MATCH));
        if (status == HttpStatus.OK_200 && page.isKnownBy(known)) {
            return new PageAnswer(HttpStatus.NOT_MODIFIED_304, headers, List.of());
        }
        headers.put("Content-Type", page.type());
        if (gzip) {
            headers.put("Content-Encoding", GZIP);
        }
        return new PageAnswer(status, headers, List.of(page.bytes(gzip)));
    }

    /**
     * Sends a browser to another path.
     *
     * @param reference relative to the one that it has asked for
     */
    static PageAnswer elsewhere(String reference) {
        Map<String, String> headers = new TreeMap<>(ALWAYS);
        headers.put("Location", reference);
        headers.put("Cache-Control", ASK);
        return new PageAnswer(HttpStatus.PERMANENT_REDIRECT_308, headers, List.of());
    }

    PageAnswer with(String header, String value) {
        Map<String, String> more = new TreeMap<>(headers);
        more.put(header, value);
        return new PageAnswer(status, more, body);
    }
}
