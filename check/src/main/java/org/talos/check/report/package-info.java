/**
 * Where a run leaves what it found, and on what it ran: {@link org.talos.check.report.RunFolder}, of a check as of a
 * measurement. No threads.
 */
@NullMarked
package org.talos.check.report;

import org.jspecify.annotations.NullMarked;
