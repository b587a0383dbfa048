/**
 * What clients did and what they were told: {@link org.talos.check.history.Operation} is one thing that one of them
 * did, {@link org.talos.check.history.Recorder} writes down what happens, {@link org.talos.check.history.HistoryFile}
 * keeps it as lines of JSON.
 */
@NullMarked
package org.talos.check.history;

import org.jspecify.annotations.NullMarked;
