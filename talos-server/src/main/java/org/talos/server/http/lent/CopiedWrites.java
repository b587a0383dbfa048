// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.lent;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP/2 stream that a WebSocket has in place of a connection. It passes on copies of the written bytes. Jetty
 * joins the head and the content of a frame in memory outside the heap that nothing bounds, and passes on a head
 * without content as it is. That head is in a pooled buffer, which is reused when the stream fails although HTTP/2 may
 * still send it. A copy in the heap has neither fault: its bytes have been reserved with the message.
 *
 * <p>Immutable.
 */
public final class CopiedWrites implements InvocationHandler {
    private final EndPoint tunnel;

    private CopiedWrites(EndPoint tunnel) {
        this.tunnel = tunnel;
    }

    /** Returns the same stream, for a WebSocket to write to. Its {@code unwrap} returns {@code tunnel}. */
    public static EndPoint to(EndPoint tunnel) {
        return (EndPoint) Proxy.newProxyInstance(
                CopiedWrites.class.getClassLoader(),
                new Class<?>[] {EndPoint.class, EndPoint.Wrapper.class},
                new CopiedWrites(tunnel));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        if (method.getDeclaringClass() == EndPoint.Wrapper.class) {
            return tunnel;
        }
        if (arguments != null
                && arguments.length == 2
                && arguments[0] instanceof Callback callback
                && arguments[1] instanceof ByteBuffer[] buffers) {
            tunnel.write(callback, copy(buffers));
            return null;
        }
        try {
            return method.invoke(tunnel, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static ByteBuffer copy(ByteBuffer[] buffers) {
        int bytes = 0;
        for (ByteBuffer each : buffers) {
            bytes += each.remaining();
        }
        ByteBuffer copy = ByteBuffer.allocate(bytes);
        for (ByteBuffer each : buffers) {
            copy.put(each);
        }
        return copy.flip();
    }
}
