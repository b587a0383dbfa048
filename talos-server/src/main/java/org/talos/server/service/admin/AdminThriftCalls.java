// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.admin;

import static org.talos.server.service.call.ServiceName.ADMIN;

import org.talos.server.service.call.CallTable;
import org.talos.server.service.call.DiskRoom;
import org.talos.server.service.call.ThriftCalls;
import org.talos.thrift.AddUserRequest;
import org.talos.thrift.CheckGranteeRequest;
import org.talos.thrift.RemoveUserRequest;

/**
 * Registers the calls of the contract about users.
 *
 * <p>Thread-safe.
 */
public final class AdminThriftCalls implements ThriftCalls {
    private final UserOperations operations;
    private final AdminCalls calls;
    private final DiskRoom room;

    /** Takes the operations that all front ends share, and the calls that only Thrift clients make. */
    public AdminThriftCalls(UserOperations operations, AdminCalls calls, DiskRoom room) {
        this.operations = operations;
        this.calls = calls;
        this.room = room;
    }

    @Override
    public void addTo(CallTable table) {
        table.control(ADMIN, "addUser", AddUserRequest::new, request -> UserOperations.KEY, calls::addUser);
        table.guard(room::require, ADMIN, "addUser");
        table.change(ADMIN, "removeUser", RemoveUserRequest::new, request -> UserOperations.KEY, calls::removeUser);
        table.operation(
                ADMIN,
                "checkGrantee",
                CheckGranteeRequest::new,
                (context, request) -> operations.checkGrantee(context, request.getGrantee()));
        table.simpleControl(ADMIN, "listUsers", calls::listUsers);
    }
}
