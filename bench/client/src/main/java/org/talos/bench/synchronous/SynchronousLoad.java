// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.synchronous;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Puts and gets in threads that wait, through a client library. Confined: the main thread of the client's process. */
public final class SynchronousLoad implements MeasuredLoad.Load {
    /** The line that is printed when all threads have begun. */
    public static final String RUNNING = MeasuredLoad.RUNNING;

    private final SynchronousClient client;
    private final SynchronousSettings settings;
    private final Recording recording;
    private final ExecutorService threads;
    private final List<PutLoop> puts = new ArrayList<>();
    private final List<GetLoop> gets = new ArrayList<>();

    private SynchronousLoad(SynchronousClient client, SynchronousSettings settings, Recording recording) {
        this.client = client;
        this.settings = settings;
        this.recording = recording;
        threads = Executors.newFixedThreadPool(settings.putters() + settings.getters());
    }

    /** Makes the topic and what puts to it and gets from it. */
    public interface Opening {
        /** A client of the server that the settings name. */
        SynchronousClient open(SynchronousSettings settings) throws Exception;
    }

    /**
     * The main method of a client's process, which ends with it: by 0, or by 1 if it could not be measured. Puts and
     * gets that fail are counted, and no reason for 1.
     *
     * @param arguments {@link SynchronousSettings}
     */
    public static void main(String[] arguments, Opening opening) {
        MeasuredLoad.main(
                arguments, (settings, recording) -> new SynchronousLoad(opening.open(settings), settings, recording));
    }

    @Override
    public void start() throws Exception {
        for (int partition = 0; partition < settings.putters(); partition++) {
            PutLoop put =
                    new PutLoop(client.putter(partition), new StampedMessage(partition, settings.size()), recording);
            puts.add(put);
            if (partition < settings.getters()) {
                StampedMessage expected = new StampedMessage(partition, settings.size());
                gets.add(new GetLoop(client.getter(partition), put, expected, recording, partition));
            }
        }
        gets.forEach(each -> threads.execute(each::run));
        puts.forEach(each -> threads.execute(each::run));
    }

    @Override
    public void pace(double perSecond) {
        long begin = System.nanoTime();
        for (int i = 0; i < puts.size(); i++) {
            puts.get(i).pace(PutLoop.Pace.of(perSecond, begin, i, puts.size()));
        }
    }

    @Override
    public boolean end(long seconds) throws InterruptedException {
        puts.forEach(PutLoop::end);
        threads.shutdown();
        return threads.awaitTermination(seconds, TimeUnit.SECONDS);
    }

    @Override
    public long stored() throws Exception {
        return client.stored();
    }

    @Override
    public void close() {
        threads.shutdownNow();
        client.close();
    }
}
