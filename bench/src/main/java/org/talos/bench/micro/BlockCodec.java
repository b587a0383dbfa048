// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.micro;

import static org.talos.bench.report.Text.format;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.talos.common.message.MalformedBlockException;
import org.talos.common.message.MessageBlocks;
import org.talos.thrift.Message;
import org.talos.thrift.MessageAndOffset;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

/**
 * Benchmarks encoding messages to a block, decoding a block to messages, and checking a block. The messages are lines
 * of a log with numbers in them, of which ZSTD leaves a fifth, GZIP a quarter and the fast ones two fifths; random
 * bytes would flatter a compressor that skips them.
 *
 * <p>Confined: JMH.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class BlockCodec {
    private static final long MOST_BYTES = 1 << 20;
    private static final long CREATED = 1_795_176_000_000L;

    @Param({"1x10240", "100x100"})
    String messages = "";

    @Param
    MessageCompressionType compression = MessageCompressionType.NONE;

    private List<Message> plain;
    private MessageBlock block;

    /** The messages, and a block of them. */
    @Setup
    public void prepare() throws MalformedBlockException {
        String[] shape = messages.split("x", 2);
        SplittableRandom random = new SplittableRandom(1);
        plain = new ArrayList<>();
        for (int i = 0; i < Integer.parseInt(shape[0]); i++) {
            plain.add(new Message(StandardCharsets.US_ASCII.encode(text(random, Integer.parseInt(shape[1])))));
        }
        block = encode();
        if (block.getCompressionType() != compression || decode().size() != plain.size()) {
            throw new IllegalStateException("cannot be measured: " + block.getCompressionType());
        }
    }

    private static String text(SplittableRandom random, int bytes) {
        StringBuilder text = new StringBuilder(bytes + 200);
        while (text.length() < bytes) {
            text.append(format(
                    "{\"at\":%d,\"level\":\"INFO\",\"order\":\"%016x\",\"customer\":%d,\"event\":\"paid\",\"ms\":%d}%n",
                    CREATED + random.nextInt(100_000),
                    random.nextLong(),
                    random.nextInt(1_000_000),
                    random.nextInt(2_000)));
        }
        return text.substring(0, bytes);
    }

    /** Encodes messages to a block. */
    @Benchmark
    public MessageBlock encode() {
        return MessageBlocks.write(plain, compression, CREATED);
    }

    /** Decodes a block to messages. */
    @Benchmark
    public List<MessageAndOffset> decode() throws MalformedBlockException {
        return MessageBlocks.read(block, MOST_BYTES);
    }

    /** Compares what a block's head claims with its bytes, as for every put. */
    @Benchmark
    public MessageBlock checkClaims() throws MalformedBlockException {
        MessageBlocks.checkClaims(block);
        return block;
    }

    /** Decompresses a block and reads its messages, as for a put with service.checkBlocks. */
    @Benchmark
    public MessageBlock checkContents() throws MalformedBlockException {
        MessageBlocks.checkContents(block, MOST_BYTES);
        return block;
    }
}
