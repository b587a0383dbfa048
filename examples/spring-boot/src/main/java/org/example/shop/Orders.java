// SPDX-License-Identifier: Apache-2.0
package org.example.shop;

import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Takes orders. The event for other programs is a row of the outbox, written in the same transaction as the order. */
@RestController
class Orders {
    private final JdbcClient database;

    Orders(JdbcClient database) {
        this.database = database;
    }

    record Order(String customer, long cents) {}

    @PostMapping("/orders")
    @ResponseStatus(HttpStatus.CREATED)
    @Transactional
    public void take(@RequestBody Order order) {
        // Here the shop changes its own tables, too.
        database.sql("INSERT INTO outbox (customer, cents) VALUES (?, ?)")
                .params(order.customer(), order.cents())
                .update();
    }
}
