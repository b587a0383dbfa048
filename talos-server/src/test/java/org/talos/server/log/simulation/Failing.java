// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log.simulation;

/** The next operations of a kind fail. Confined: the simulation's thread. */
final class Failing {
    private final String operation;
    private final String place;
    private int times;

    Failing(String operation, String place, int times) {
        this.operation = operation;
        this.place = place;
        this.times = times;
    }

    boolean hits(String on, String path) {
        return times > 0 && operation.equals(on) && path.contains(place) && times-- > 0;
    }

    String operation() {
        return operation;
    }

    String place() {
        return place;
    }

    int times() {
        return times;
    }
}
