// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import java.security.SecureRandom;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;

/**
 * An SSL context for HTTP clients that are used for {@code http:} only; it refuses to make connections. Without one the
 * JDK's HTTP client makes the default context, which takes a quarter of the time of a command.
 *
 * <p>Immutable.
 */
final class NoTls extends SSLContextSpi {
    private NoTls() {}

    /** The context. */
    static SSLContext context() {
        return new Context();
    }

    private static final class Context extends SSLContext {
        Context() {
            super(new NoTls(), null, "none");
        }
    }

    private static UnsupportedOperationException unsupported() {
        return new UnsupportedOperationException("this client is for http: only");
    }

    @Override
    protected void engineInit(KeyManager[] keys, TrustManager[] trust, SecureRandom random) {
        throw unsupported();
    }

    @Override
    protected SSLSocketFactory engineGetSocketFactory() {
        throw unsupported();
    }

    @Override
    protected SSLServerSocketFactory engineGetServerSocketFactory() {
        throw unsupported();
    }

    @Override
    protected SSLEngine engineCreateSSLEngine() {
        throw unsupported();
    }

    @Override
    protected SSLEngine engineCreateSSLEngine(String host, int port) {
        throw unsupported();
    }

    @Override
    protected SSLSessionContext engineGetServerSessionContext() {
        throw unsupported();
    }

    @Override
    protected SSLSessionContext engineGetClientSessionContext() {
        throw unsupported();
    }

    /** Empty parameters, which the HTTP client asks for when it is made. */
    @Override
    protected SSLParameters engineGetDefaultSSLParameters() {
        return new SSLParameters();
    }

    @Override
    protected SSLParameters engineGetSupportedSSLParameters() {
        return new SSLParameters();
    }
}
