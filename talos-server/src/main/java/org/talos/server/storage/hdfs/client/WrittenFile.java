// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs.client;

import java.io.IOException;
import java.util.OptionalInt;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream;
import org.apache.hadoop.ipc.RemoteException;

/**
 * A file that is being written. Its failures are unwrapped as those of {@link HdfsCalls}: the NameNode ends a file at
 * the close, and allocates its blocks in between.
 *
 * <p>Thread-safe, like the underlying stream.
 */
public final class WrittenFile extends FSDataOutputStream {
    private final FSDataOutputStream real;

    WrittenFile(FSDataOutputStream real) {
        super(real, null, real.getPos());
        this.real = real;
    }

    @Override
    public synchronized void write(int each) throws IOException {
        try {
            super.write(each);
        } catch (RemoteException e) {
            throw e.unwrapRemoteException();
        }
    }

    @Override
    public synchronized void write(byte[] bytes, int from, int length) throws IOException {
        try {
            super.write(bytes, from, length);
        } catch (RemoteException e) {
            throw e.unwrapRemoteException();
        }
    }

    @Override
    public void hflush() throws IOException {
        Unpacked.run(super::hflush);
    }

    @Override
    public void hsync() throws IOException {
        Unpacked.run(super::hsync);
    }

    /** Returns the number of DataNodes that have the current block, or empty if the file system does not say. */
    public OptionalInt replicas() throws IOException {
        return real instanceof HdfsDataOutputStream hdfs
                ? OptionalInt.of(Unpacked.call(hdfs::getCurrentBlockReplication))
                : OptionalInt.empty();
    }

    @Override
    public void close() throws IOException {
        Unpacked.run(super::close);
    }
}
