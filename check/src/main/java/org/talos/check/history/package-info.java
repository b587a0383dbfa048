/**
 * The history of a run, with each request of the clients and its answer: {@link org.talos.check.history.Operation} is
 * one request or event, {@link org.talos.check.history.Recorder} records them,
 * {@link org.talos.check.history.HistoryFile} keeps it as lines of JSON.
 */
@NullMarked
package org.talos.check.history;

import org.jspecify.annotations.NullMarked;
