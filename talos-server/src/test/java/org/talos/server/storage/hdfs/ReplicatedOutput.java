// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import java.io.IOException;
import java.io.OutputStream;
import java.util.function.IntSupplier;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.DFSOutputStream;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream;

/** A stream that says on how many DataNodes its file is, as those of HDFS do. As thread-safe as its target. */
final class ReplicatedOutput extends HdfsDataOutputStream {
    private final FSDataOutputStream target;
    private final IntSupplier replicas;

    ReplicatedOutput(OutputStream target, IntSupplier replicas) throws IOException {
        super((DFSOutputStream) null, null);
        this.target = new FSDataOutputStream(target, null);
        this.replicas = replicas;
    }

    @Override
    public synchronized int getCurrentBlockReplication() {
        return replicas.getAsInt();
    }

    @Override
    public synchronized void write(int each) throws IOException {
        target.write(each);
    }

    @Override
    public synchronized void write(byte[] bytes, int from, int length) throws IOException {
        target.write(bytes, from, length);
    }

    @Override
    public long getPos() {
        return target.getPos();
    }

    @Override
    public void flush() throws IOException {
        target.flush();
    }

    @Override
    public void hflush() throws IOException {
        target.hflush();
    }

    @Override
    public void hsync() throws IOException {
        target.hsync();
    }

    @Override
    public boolean hasCapability(String capability) {
        return target.hasCapability(capability);
    }

    @Override
    public void close() throws IOException {
        target.close();
    }
}
