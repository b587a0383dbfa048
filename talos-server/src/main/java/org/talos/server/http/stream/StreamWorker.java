// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.talos.server.http.rest.json.Problem;

/**
 * Runs a stream's work as calls of the server, and reports their results to the session.
 *
 * <p>Confined: the events of its stream.
 */
final class StreamWorker {
    private static final int UNAUTHORIZED = 401;

    private final StreamSession session;
    private final StreamCalls calls;
    private final Function<Throwable, Problem> problems;
    private final Ways ways;

    /**
     * Runs the continuation of a call. Immutable.
     *
     * @param events runs it behind the event that is running
     * @param later the same, once other connections have had their turn
     * @param resume runs afterwards
     * @param ifUnknown hears that the client is known no more
     */
    record Ways(Executor events, Executor later, Timer timer, Runnable resume, Consumer<Problem> ifUnknown) {}

    /** Brings an event after a time. Thread-safe. */
    interface Timer {
        void after(long millis, Runnable event);
    }

    StreamWorker(StreamSession session, StreamCalls calls, Function<Throwable, Problem> problems, Ways ways) {
        this.session = session;
        this.calls = calls;
        this.problems = problems;
        this.ways = ways;
    }

    /** Begins the work; its result reaches the session as an event. */
    void begin(StreamWork work) {
        if (work instanceof StreamWork.BeginPut put) {
            follow(
                    () -> calls.put(put.put(), put.message()),
                    stored -> session.stored(put.put(), stored),
                    problem -> session.refused(put.put(), problem),
                    ways.events); // behind this one
        } else if (work instanceof StreamWork.FindEnd find) {
            follow(
                    () -> calls.end(find.subscription().partition()),
                    end -> session.endFound(find.subscription(), end),
                    problem -> session.readFailed(find.subscription(), problem),
                    ways.later);
        } else if (work instanceof StreamWork.Read read) {
            follow(
                    () -> calls.read(read),
                    found -> session.read(read.subscription(), found),
                    problem -> session.readFailed(read.subscription(), problem),
                    ways.later); // other connections first: memory may have the whole window
        } else if (work instanceof StreamWork.OfGroup ofGroup) {
            begin(ofGroup);
        }
    }

    private void begin(StreamWork.OfGroup work) {
        if (work instanceof StreamWork.Join join) {
            inGroup(() -> calls.join(join.asked()), Membership::joined, Membership::end);
        } else if (work instanceof StreamWork.Balance balance) {
            inGroup(
                    () -> calls.balance(balance),
                    (membership, share) -> membership.balanced(balance, share),
                    (membership, problem) -> membership.balanceFailed(balance, problem));
        } else if (work instanceof StreamWork.Commit commit) {
            inGroup(
                    () -> calls.commit(commit),
                    (membership, done) -> membership.committed(commit.partition(), commit.offset()),
                    (membership, problem) -> membership.commitFailed(commit.partition(), commit.offset(), problem));
        } else if (work instanceof StreamWork.Leave leave) {
            inGroup(
                    () -> calls.leave(leave),
                    (membership, done) -> membership.left(leave, null),
                    (membership, problem) -> membership.left(leave, problem));
        } else if (work instanceof StreamWork.Pause pause) {
            ways.timer.after(pause.millis(), () -> {
                session.inGroup(membership -> membership.paused(pause.membership()));
                ways.resume.run();
            });
        }
    }

    private <T> void inGroup(Call<T> call, BiConsumer<Membership, T> ifDone, BiConsumer<Membership, Problem> ifFailed) {
        follow(
                call,
                done -> session.inGroup(membership -> ifDone.accept(membership, done)),
                problem -> session.inGroup(membership -> ifFailed.accept(membership, problem)),
                ways.later);
    }

    /** A call of the server. Confined: as the worker. */
    private interface Call<T> {
        CompletionStage<T> begin();
    }

    private <T> void follow(Call<T> call, Consumer<T> ifDone, Consumer<Problem> ifFailed, Executor ifAtOnce) {
        CompletionStage<T> stage;
        try {
            stage = call.begin();
        } catch (RuntimeException | Error e) { // otherwise the session would wait for its end, with reserved memory
            failed(e, ifFailed);
            return;
        }
        boolean atOnce = stage.toCompletableFuture().isDone();
        var unused = stage.whenComplete((done, thrown) -> {
            Runnable event = () -> {
                if (thrown == null) {
                    ifDone.accept(done);
                } else {
                    failed(thrown, ifFailed);
                }
                ways.resume.run();
            };
            if (atOnce) {
                ifAtOnce.execute(event);
            } else {
                ways.later.execute(event);
            }
        });
    }

    /** Ends the stream if its key is gone. */
    void requireKey() {
        try {
            calls.requireKey();
        } catch (RuntimeException e) {
            failed(e, problem -> {});
        }
    }

    private void failed(Throwable thrown, Consumer<Problem> ifFailed) {
        Problem problem = problems.apply(thrown);
        ifFailed.accept(problem);
        if (problem.status() == UNAUTHORIZED) {
            ways.ifUnknown.accept(problem);
        }
    }
}
