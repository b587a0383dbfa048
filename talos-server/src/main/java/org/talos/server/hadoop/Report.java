// SPDX-License-Identifier: Apache-2.0
package org.talos.server.hadoop;

import java.util.ArrayList;
import java.util.List;
import org.talos.server.hadoop.ReportLine.Status;

/**
 * Collects what is found, one thing after another, whatever becomes of each look.
 *
 * <p>Confined: whoever looks.
 */
public final class Report {
    private final List<ReportLine> found = new ArrayList<>();

    /** As it should be. */
    public void ok(String what, String detail) {
        found.add(new ReportLine(Status.OK, what, detail, ""));
    }

    /** Works, and may be wrong later. */
    public void warn(String what, String detail, String hint) {
        found.add(new ReportLine(Status.WARN, what, detail, hint));
    }

    /** A server can't work so. */
    public void fail(String what, String detail, String hint) {
        found.add(new ReportLine(Status.FAIL, what, detail, hint));
    }

    /** One look. */
    @FunctionalInterface
    public interface Look {
        /** Adds what it finds. */
        void at(Report findings) throws Exception;
    }

    /**
     * Looks, and if that is not possible, that is what was found.
     *
     * @param hint what an operator can do then
     * @return whether it was possible
     */
    public boolean look(String what, String hint, Look look) {
        try {
            look.at(this);
            return true;
        } catch (Exception e) {
            fail(what, firstLine(e), hint);
            return false;
        }
    }

    /** Hadoop sends whole stack traces as messages. */
    private static String firstLine(Exception e) {
        String message = e.getMessage() == null ? e.toString() : e.getMessage();
        return message.lines().findFirst().orElse("");
    }

    /** All that was found, in the order of the looks. */
    public List<ReportLine> all() {
        return List.copyOf(found);
    }
}
