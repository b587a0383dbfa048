// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.connection;

import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http2.ErrorCode;
import org.eclipse.jetty.http2.HTTP2Connection;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.internal.HttpConnection;

/**
 * HTTP/1.1 whose requests have no more than {@link #MOST_FIELDS} fields in head and trailer: a field of five bytes
 * takes 130 in the heap, so that a head of 16 KiB would take 360 KiB. Over HTTP/2, where a head is parsed all at once,
 * a request with more ends its connection.
 *
 * <p>Jetty bounds the bytes of a head, but not its fields.
 *
 * <p>Thread-safe.
 */
public final class BoundedHeads extends HttpConnectionFactory {
    /** Twice as many as a message has headers. */
    public static final int MOST_FIELDS = 128;

    /** Bounds connections of this configuration, and of the HTTP/2 that shares it. */
    public BoundedHeads(HttpConfiguration http) {
        super(http);
        http.addCustomizer(BoundedHeads::customize);
    }

    private static Request customize(Request request, HttpFields.Mutable answer) {
        if (request.getHeaders().size() > MOST_FIELDS) {
            if (request.getConnectionMetaData().getConnection() instanceof HTTP2Connection connection) {
                connection.onConnectionFailure(ErrorCode.ENHANCE_YOUR_CALM_ERROR.code, "too_many_fields");
            }
            throw tooMany();
        }
        return request;
    }

    private static HttpException.RuntimeException tooMany() {
        return new HttpException.RuntimeException(
                HttpStatus.REQUEST_HEADER_FIELDS_TOO_LARGE_431, "more than " + MOST_FIELDS + " header fields");
    }

    @Override
    public Connection newConnection(Connector connector, EndPoint endPoint) {
        BoundedConnection connection = new BoundedConnection(getHttpConfiguration(), connector, endPoint);
        connection.setTransferEncodingChunkMaxLength(getTransferEncodingChunkMaxLength());
        return configure(connection, connector, endPoint);
    }

    /** Counts fields while they are parsed. Confined: the reader of the connection. */
    private static final class BoundedConnection extends HttpConnection {
        BoundedConnection(HttpConfiguration http, Connector connector, EndPoint endPoint) {
            super(http, connector, endPoint);
        }

        @Override
        protected RequestHandler newRequestHandler() {
            return new RequestHandler() {
                private int fields;

                @Override
                public void messageBegin() {
                    fields = 0;
                    super.messageBegin();
                }

                @Override
                public void parsedHeader(HttpField field) {
                    count();
                    super.parsedHeader(field);
                }

                @Override
                public void parsedTrailer(HttpField field) {
                    count();
                    super.parsedTrailer(field);
                }

                private void count() {
                    fields++;
                    if (fields > MOST_FIELDS) {
                        throw tooMany();
                    }
                }
            };
        }
    }
}
