// SPDX-License-Identifier: Apache-2.0
package org.talos.server.hadoop;

import java.util.ArrayList;
import java.util.List;
import org.talos.server.hadoop.ReportLine.Status;
import org.talos.server.runtime.FirstLine;

/**
 * Runs checks and collects their results; a check that throws is a failed one.
 *
 * <p>Confined: the thread that runs the checks.
 */
public final class Report {
    private final List<ReportLine> lines = new ArrayList<>();

    /** Adds a result that is ok. */
    public void ok(String what, String detail) {
        lines.add(new ReportLine(Status.OK, what, detail, ""));
    }

    /** Adds a result that works now and may cause trouble later. */
    public void warn(String what, String detail, String hint) {
        lines.add(new ReportLine(Status.WARN, what, detail, hint));
    }

    /** Adds a result with which a server cannot work. */
    public void fail(String what, String detail, String hint) {
        lines.add(new ReportLine(Status.FAIL, what, detail, hint));
    }

    /** A check. */
    @FunctionalInterface
    public interface Check {
        /** Adds its results to the report. */
        void run(Report report) throws Exception;
    }

    /**
     * Runs a check; if it throws, adds a failure with the exception's message.
     *
     * @param hint remedy for the operator
     * @return whether it ran to its end
     */
    public boolean check(String what, String hint, Check check) {
        try {
            check.run(this);
            return true;
        } catch (Exception e) {
            fail(what, FirstLine.of(e), hint);
            return false;
        }
    }

    /** All results, in the order of the checks. */
    public List<ReportLine> all() {
        return List.copyOf(lines);
    }
}
