// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs.client;

import java.io.IOException;
import org.apache.hadoop.ipc.RemoteException;

/**
 * Runs calls, and throws a remote failure as the exception that it was there, with the packed one as cause. Immutable.
 */
final class Unpacked {
    private Unpacked() {}

    /** A call with a result. */
    @FunctionalInterface
    interface Call<T> {
        T result() throws IOException;
    }

    /** A call without a result. */
    @FunctionalInterface
    interface Action {
        void run() throws IOException;
    }

    static <T> T call(Call<T> call) throws IOException {
        try {
            return call.result();
        } catch (RemoteException e) {
            throw e.unwrapRemoteException();
        }
    }

    static void run(Action action) throws IOException {
        try {
            action.run();
        } catch (RemoteException e) {
            throw e.unwrapRemoteException();
        }
    }
}
