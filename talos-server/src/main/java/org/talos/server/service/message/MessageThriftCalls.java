// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.message;

import static org.talos.server.service.call.ServiceName.MESSAGE;

import java.util.concurrent.CompletableFuture;
import org.talos.server.metrics.Operation;
import org.talos.server.service.call.CallResult;
import org.talos.server.service.call.CallTable;
import org.talos.server.service.call.ThriftCalls;
import org.talos.thrift.GetCheckpointRequest;
import org.talos.thrift.GetMessageRequest;
import org.talos.thrift.GetPartitionCheckpointRequest;
import org.talos.thrift.GetPartitionOffsetRequest;
import org.talos.thrift.GetPartitionsOffsetRequest;
import org.talos.thrift.GetScheduleInfoRequest;
import org.talos.thrift.GetTopicOffsetRequest;
import org.talos.thrift.PutMessageRequest;

/**
 * Registers the calls of the contract about messages and their offsets.
 *
 * <p>Thread-safe.
 */
public final class MessageThriftCalls implements ThriftCalls {
    private final PutCalls puts;
    private final GetCalls gets;
    private final OffsetCalls offsets;

    public MessageThriftCalls(PutCalls puts, GetCalls gets, OffsetCalls offsets) {
        this.puts = puts;
        this.gets = gets;
        this.offsets = offsets;
    }

    @Override
    public void addTo(CallTable table) {
        table.counted(Operation.PUT, MESSAGE, "putMessage", PutMessageRequest::new, puts::putMessage);
        table.counted(Operation.GET, MESSAGE, "getMessage", GetMessageRequest::new, gets::getMessage);
        table.operation(
                MESSAGE,
                "getTopicOffset",
                GetTopicOffsetRequest::new,
                (context, request) -> offsets.getTopicOffset(context, request.getTopicTalosResourceName()));
        table.async(MESSAGE, "getPartitionOffset", GetPartitionOffsetRequest::new, offsets::getPartitionOffset);
        table.async(MESSAGE, "getPartitionsOffset", GetPartitionsOffsetRequest::new, offsets::getPartitionsOffset);
        table.async(
                MESSAGE,
                "getScheduleInfo",
                GetScheduleInfoRequest::new,
                (context, request) ->
                        CompletableFuture.completedFuture(CallResult.of(offsets.getScheduleInfo(context, request))));
        table.async(MESSAGE, "getTopicCheckpoint", GetCheckpointRequest::new, offsets::getTopicCheckpoint);
        table.async(
                MESSAGE, "getPartitionCheckpoint", GetPartitionCheckpointRequest::new, offsets::getPartitionCheckpoint);
        table.notBuilt(MESSAGE, "prepare", "commit", "rollback", "getUnkownStateTransaction", "deleteMessageIndex");
    }
}
