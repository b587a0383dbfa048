// SPDX-License-Identifier: Apache-2.0
package org.talos.server.testing;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Walks from an object over everything that it keeps alive, and counts it: byte arrays once and whole, however small
 * the view of them, and other objects roughly.
 *
 * <p>Confined: one walk.
 */
public final class KeptMemory {
    private static final int OBJECT_BYTES = 16;
    private static final int FIELD_BYTES = 4;

    private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Deque<Object> toSee = new ArrayDeque<>();
    private long bytes;

    private KeptMemory() {}

    /** Bytes that an object keeps alive. */
    public static long of(Object root) {
        KeptMemory walk = new KeptMemory();
        walk.add(root);
        while (!walk.toSee.isEmpty()) {
            walk.visit(walk.toSee.removeLast());
        }
        return walk.bytes;
    }

    private void add(Object found) {
        if (found != null && seen.add(found)) {
            toSee.addLast(found);
        }
    }

    private void visit(Object each) {
        bytes += OBJECT_BYTES;
        if (each instanceof byte[] array) {
            bytes += array.length;
        } else if (each instanceof ByteBuffer buffer) {
            visit(buffer);
        } else if (each instanceof String text) {
            bytes += text.length();
        } else if (each instanceof Object[] array) {
            for (Object one : array) {
                add(one);
            }
        } else if (each instanceof Map<?, ?> map) {
            map.forEach((key, value) -> {
                add(key);
                add(value);
            });
        } else if (each instanceof Collection<?> many) {
            many.forEach(this::add);
        } else {
            visitOther(each);
        }
    }

    private void visitOther(Object each) {
        if (each instanceof long[] array) {
            bytes += (long) Long.BYTES * array.length;
        } else if (each instanceof Optional<?> one) {
            one.ifPresent(this::add);
        } else if (each instanceof AtomicReference<?> one) {
            add(one.get());
        } else if (each instanceof CompletableFuture<?> one) {
            add(one.isCompletedExceptionally() ? null : one.getNow(null));
        } else if (isOurs(each.getClass())) {
            fields(each);
        }
    }

    @SuppressWarnings("ByteBufferBackingArray") // the whole array is kept alive, whatever part the buffer shows
    private void visit(ByteBuffer buffer) {
        if (buffer.hasArray()) {
            add(buffer.array());
        } else {
            bytes += buffer.capacity();
        }
    }

    private static boolean isOurs(Class<?> type) {
        return type.getName().startsWith("org.talos.");
    }

    private void fields(Object each) {
        try {
            for (Class<?> type = each.getClass(); type != null && type != Object.class; type = type.getSuperclass()) {
                for (Field field : type.getDeclaredFields()) {
                    if (Modifier.isStatic(field.getModifiers()) || !isOurs(type)) {
                        continue;
                    }
                    bytes += FIELD_BYTES;
                    if (!field.getType().isPrimitive()) {
                        field.setAccessible(true);
                        add(field.get(each));
                    }
                }
            }
        } catch (IllegalAccessException e) {
            throw new AssertionError("field of " + each.getClass(), e);
        }
    }
}
