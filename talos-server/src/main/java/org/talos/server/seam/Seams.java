// SPDX-License-Identifier: Apache-2.0
package org.talos.server.seam;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.BiFunction;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.talos.server.config.TransferConfig;
import org.talos.server.dispatch.WorkerSelection;
import org.talos.server.service.call.CallHandler;
import org.talos.server.storage.SegmentStore;
import org.talos.server.storage.hdfs.AppendForm;
import org.talos.server.storage.journal.JournalFiles;
import org.talos.server.transfer.client.RequestSenders;

/**
 * The parts of a server that a test or a measurement may replace by its own. A server that users run has those of
 * {@link #shipped}. Immutable.
 *
 * @param store given the segment store, returns the one for the partitions to use, which is not closed
 * @param journals given the files of a journal, returns those for it to use
 * @param senders creates the sender of requests to other servers; closed with the server
 * @param selection of the workers of every pool
 * @param form given the form of appends to HDFS, and the factory of files outside of journals, returns the form to use
 * @param calls given the handler of calls over Thrift, returns the handler for the front end
 * @param processorLoad share of the processors in use since the last call, from 0 to 1, below 0 if unknown: above a
 *     bound, the server slows reads from storage
 */
public record Seams(
        UnaryOperator<SegmentStore> store,
        UnaryOperator<JournalFiles> journals,
        Function<TransferConfig, RequestSenders> senders,
        WorkerSelection selection,
        BiFunction<AppendForm, AppendForm.FileMaker, AppendForm> form,
        UnaryOperator<CallHandler> calls,
        DoubleSupplier processorLoad) {
    /** Returns the parts of a server as users run it. */
    public static Seams shipped() {
        return new Seams(
                store -> store,
                files -> files,
                RequestSenders::oneConnection,
                WorkerSelection.leastLoaded(),
                (form, files) -> form,
                calls -> calls,
                ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class)::getCpuLoad);
    }

    /** Returns the same parts with another wrapper around the segment store. */
    public Seams withStore(UnaryOperator<SegmentStore> other) {
        return new Seams(other, journals, senders, selection, form, calls, processorLoad);
    }

    /** Returns the same parts with another wrapper around the files of a journal. */
    public Seams withJournals(UnaryOperator<JournalFiles> other) {
        return new Seams(store, other, senders, selection, form, calls, processorLoad);
    }

    /** Returns the same parts with other senders of requests to other servers. */
    public Seams withSenders(Function<TransferConfig, RequestSenders> other) {
        return new Seams(store, journals, other, selection, form, calls, processorLoad);
    }

    /** Returns the same parts with another selection of workers. */
    public Seams withSelection(WorkerSelection other) {
        return new Seams(store, journals, senders, other, form, calls, processorLoad);
    }

    /** Returns the same parts with another form of appends to HDFS. */
    public Seams withForm(BiFunction<AppendForm, AppendForm.FileMaker, AppendForm> other) {
        return new Seams(store, journals, senders, selection, other, calls, processorLoad);
    }

    /** Returns the same parts with another wrapper around the handler of calls over Thrift. */
    public Seams withCalls(UnaryOperator<CallHandler> other) {
        return new Seams(store, journals, senders, selection, form, other, processorLoad);
    }

    /** Returns the same parts with another measure of how busy the processors are. */
    public Seams withProcessorLoad(DoubleSupplier other) {
        return new Seams(store, journals, senders, selection, form, calls, other);
    }
}
