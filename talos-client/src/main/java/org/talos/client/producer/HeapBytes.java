// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

/**
 * The bytes of objects in the heap of OpenJDK's virtual machine, as it lays them out by default: references of 4 bytes
 * in heaps of less than 32 GiB, and of 8 bytes in larger ones. Immutable.
 */
final class HeapBytes {
    private static final int ALIGNMENT = 8;
    private static final int OBJECT_HEAD = 12;
    private static final int ARRAY_HEAD = 16;
    private static final long LARGE_HEAP = 32L << 30;
    private static final int LATIN_1 = 0xff;
    /** The bytes of a text: its hash, and two bytes that say how it is encoded. */
    private static final int OF_TEXT = 6;
    /** The bytes of a map that keeps the order: four numbers and a bit; and the hash of each entry. */
    private static final int OF_MAP = 17;

    private static final int OF_ENTRY = 4;
    /** The first header makes as many places. */
    private static final int FIRST_PLACES = 16;

    /** A reference. */
    static final int REFERENCE = Runtime.getRuntime().maxMemory() < LARGE_HEAP ? 4 : 8;

    private HeapBytes() {}

    /**
     * Returns the bytes of an object.
     *
     * @param references number of its references
     * @param others bytes of its other fields
     */
    static long object(int references, int others) {
        return aligned(OBJECT_HEAD + (long) references * REFERENCE + others);
    }

    /** Returns the bytes of an array of this number of bytes. */
    static long array(long bytes) {
        return aligned(ARRAY_HEAD + bytes);
    }

    /** Returns the bytes of a text with its characters. */
    static long text(String text) {
        return object(1, OF_TEXT) + array(isNarrow(text) ? text.length() : 2L * text.length());
    }

    private static boolean isNarrow(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) > LATIN_1) {
                return false;
            }
        }
        return true;
    }

    /** Returns the bytes of a map that keeps the order of its entries, without its keys and values. */
    static long map(int entries) {
        int places = entries == 1 ? FIRST_PLACES : 2 * entries;
        return object(6, OF_MAP) + array((long) places * REFERENCE) + entries * object(5, OF_ENTRY);
    }

    private static long aligned(long bytes) {
        return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
}
