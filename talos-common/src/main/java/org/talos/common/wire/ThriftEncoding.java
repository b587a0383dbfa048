// SPDX-License-Identifier: Apache-2.0
package org.talos.common.wire;

import java.util.Locale;
import java.util.Optional;

/** The encodings of Thrift over HTTP, each with its content type. */
public enum ThriftEncoding {
    /** TCompactProtocol, which the SDKs use. */
    COMPACT("application/x-thrift-compact"),
    /** TBinaryProtocol. */
    BINARY("application/x-thrift-binary"),
    /** TJSONProtocol. */
    JSON("application/x-thrift-json");

    private static final String JSON_OF_OTHER_SDKS = "application/x-thrift";

    private final String contentType;

    ThriftEncoding(String contentType) {
        this.contentType = contentType;
    }

    /** Returns the content type without parameters. */
    public String contentType() {
        return contentType;
    }

    /** Returns the encoding that a Content-Type header names, whatever its case and parameters; empty for any other. */
    public static Optional<ThriftEncoding> fromContentType(String header) {
        int semicolon = header.indexOf(';');
        String type =
                (semicolon < 0 ? header : header.substring(0, semicolon)).trim().toLowerCase(Locale.ROOT);
        for (ThriftEncoding encoding : values()) {
            if (encoding.contentType.equals(type)) {
                return Optional.of(encoding);
            }
        }
        return type.equals(JSON_OF_OTHER_SDKS) ? Optional.of(JSON) : Optional.empty();
    }
}
