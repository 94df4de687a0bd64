import { Migration } from '@mikro-orm/migrations';

/** Payment accounts, orders and their parts, recurring profiles, transactions, currency rates; and the account pushes use. */
export class Donations extends Migration {
  override up(): void {
    this.addSql(`
      create table "core_candidate" ("id" serial primary key, "name" text not null, "description" text not null default '', "portrait_url" text not null default '', "status" text not null default 'active', "hidden" boolean not null default false, "created_at" timestamptz(6) not null default now(), "updated_at" timestamptz(6) not null default now());
      alter table "core_candidate" add constraint "core_candidate_name_unique" unique ("name");
      create table "core_currency" ("id" serial primary key, "iso_code" text not null, "name" text not null default '', "per_euro" numeric(24,10) not null, "rate_date" date null, "created_at" timestamptz(6) not null default now(), "updated_at" timestamptz(6) not null default now());
      alter table "core_currency" add constraint "core_currency_iso_code_unique" unique ("iso_code");
      create table "core_donationattempt" ("id" serial primary key, "email" text not null default '', "name" text not null default '', "page" text not null default '', "errors" jsonb not null, "created_at" timestamptz(6) not null default now());
      create index core_donationattempt_email_index on core_donationattempt (lower(email));
      create table "core_donationform" ("id" serial primary key, "page_id" int not null, "ask_text" text not null default '', "thank_you_text" text not null default '', "client_hosted" boolean not null default false, "client_url" text not null default '', "created_at" timestamptz(6) not null default now(), "updated_at" timestamptz(6) not null default now());
      alter table "core_donationform" add constraint "core_donationform_page_id_unique" unique ("page_id");
      create table "core_donationform_candidates" ("donation_form_id" int not null, "candidate_id" int not null, primary key ("donation_form_id", "candidate_id"));
      create table "core_paymentaccount" ("id" serial primary key, "name" text not null, "processor" text not null default 'import_stub', "currency" text not null default 'USD', "hidden" boolean not null default false, "created_at" timestamptz(6) not null default now(), "updated_at" timestamptz(6) not null default now());
      alter table "core_paymentaccount" add constraint "core_paymentaccount_name_unique" unique ("name");
      create table "core_donationpage" ("page_ptr_id" int not null, "payment_account_id" int null, primary key ("page_ptr_id"));
      create table "core_product" ("id" serial primary key, "name" text not null, "description" text not null default '', "price" numeric(14,2) not null default '0.00', "shippable" boolean not null default false, "status" text not null default 'active', "hidden" boolean not null default false, "created_at" timestamptz(6) not null default now(), "updated_at" timestamptz(6) not null default now());
      alter table "core_product" add constraint "core_product_name_unique" unique ("name");
      create table "core_donationform_products" ("donation_form_id" int not null, "product_id" int not null, primary key ("donation_form_id", "product_id"));
      create table "push_key" ("key_digest" text not null, "body_digest" text not null, "made_id" int null, "created_at" timestamptz(6) not null default now(), primary key ("key_digest"));
      create table "core_orderuserdetail" ("id" serial primary key, "user_id" int not null, "email" text not null default '', "prefix" text not null default '', "first_name" text not null default '', "middle_name" text not null default '', "last_name" text not null default '', "suffix" text not null default '', "address1" text not null default '', "address2" text not null default '', "city" text not null default '', "state" text not null default '', "region" text not null default '', "zip" text not null default '', "plus4" text not null default '', "postal" text not null default '', "country" text not null default '', "source" text not null default '', "created_at" timestamptz(6) not null default now(), "updated_at" timestamptz(6) not null default now());
      create index "core_orderuserdetail_user_id_index" on "core_orderuserdetail" ("user_id");
      create table "core_order" ("id" serial primary key, "action_id" int not null, "user_id" int not null, "user_detail_id" int not null, "account_id" int not null, "card_num_last_four" text not null default '', "currency" text not null default 'USD', "total" numeric(14,2) not null, "total_converted" numeric(24,10) not null, "import_id" text null, "payment_method" text not null default 'cc', "status" text not null default 'completed', "created_at" timestamptz(6) not null default now(), "updated_at" timestamptz(6) not null default now());
      alter table "core_order" add constraint "core_order_action_id_unique" unique ("action_id");
      create index "core_order_user_id_index" on "core_order" ("user_id");
      create index "core_order_user_detail_id_index" on "core_order" ("user_detail_id");
      create index "core_order_account_id_index" on "core_order" ("account_id");
      alter table "core_order" add constraint "core_order_import_id_unique" unique ("import_id");
      create index "core_order_created_at_index" on "core_order" ("created_at", "id");
      create index "core_order_updated_at_index" on "core_order" ("updated_at", "id");
      create table "core_transaction" ("id" serial primary key, "type" text not null, "order_id" int not null, "account_id" int not null, "amount" numeric(14,2) not null, "amount_converted" numeric(24,10) not null, "currency" text not null default 'USD', "success" boolean not null default true, "status" text not null default 'completed', "trans_id" text not null default '', "failure_code" text not null default '', "failure_description" text not null default '', "failure_message" text not null default '', "created_at" timestamptz(6) not null default now(), "updated_at" timestamptz(6) not null default now());
      create index "core_transaction_order_id_index" on "core_transaction" ("order_id");
      create index "core_transaction_created_at_index" on "core_transaction" ("created_at", "id");
      create table "core_orderrecurring" ("id" serial primary key, "order_id" int not null, "action_id" int not null, "user_id" int not null, "account_id" int not null, "recurring_id" text not null, "exp_date" text not null default '', "card_num" text not null default '', "amount" numeric(14,2) not null, "amount_converted" numeric(24,10) not null, "currency" text not null default 'USD', "period" text not null default 'months', "start" date not null, "status" text not null default 'active', "canceled_at" timestamptz(6) null, "created_at" timestamptz(6) not null default now(), "updated_at" timestamptz(6) not null default now());
      alter table "core_orderrecurring" add constraint "core_orderrecurring_order_id_unique" unique ("order_id");
      create index "core_orderrecurring_action_id_index" on "core_orderrecurring" ("action_id");
      create index "core_orderrecurring_user_id_index" on "core_orderrecurring" ("user_id");
      alter table "core_orderrecurring" add constraint "core_orderrecurring_recurring_id_key" unique ("recurring_id", "account_id");
      create table "core_orderdetail" ("id" serial primary key, "order_id" int not null, "candidate_id" int null, "product_id" int null, "quantity" int not null default 1, "amount" numeric(14,2) not null, "amount_converted" numeric(24,10) not null, "currency" text not null default 'USD', "status" text not null default 'completed', "created_at" timestamptz(6) not null default now(), "updated_at" timestamptz(6) not null default now());
      create index "core_orderdetail_order_id_index" on "core_orderdetail" ("order_id");
      create index "core_orderdetail_candidate_id_index" on "core_orderdetail" ("candidate_id");
      create index "core_orderdetail_product_id_index" on "core_orderdetail" ("product_id");
      alter table "core_candidate" add constraint "core_candidate_status_check" check ("status" in ('active', 'inactive'));
      alter table "core_currency" add constraint "core_currency_per_euro_check" check (per_euro > 0);
      alter table "core_donationform" add constraint "core_donationform_page_id_foreign" foreign key ("page_id") references "core_page" ("id") on delete cascade;
      alter table "core_donationform_candidates" add constraint "core_donationform_candidates_donation_form_id_foreign" foreign key ("donation_form_id") references "core_donationform" ("id") on update cascade on delete cascade;
      alter table "core_donationform_candidates" add constraint "core_donationform_candidates_candidate_id_foreign" foreign key ("candidate_id") references "core_candidate" ("id") on update cascade on delete cascade;
      alter table "core_donationpage" add constraint "core_donationpage_page_ptr_id_foreign" foreign key ("page_ptr_id") references "core_page" ("id") on update cascade on delete cascade;
      alter table "core_donationpage" add constraint "core_donationpage_payment_account_id_foreign" foreign key ("payment_account_id") references "core_paymentaccount" ("id") on delete set null;
      alter table "core_product" add constraint "core_product_status_check" check ("status" in ('active', 'inactive'));
      alter table "core_donationform_products" add constraint "core_donationform_products_donation_form_id_foreign" foreign key ("donation_form_id") references "core_donationform" ("id") on update cascade on delete cascade;
      alter table "core_donationform_products" add constraint "core_donationform_products_product_id_foreign" foreign key ("product_id") references "core_product" ("id") on update cascade on delete cascade;
      alter table "core_orderuserdetail" add constraint "core_orderuserdetail_user_id_foreign" foreign key ("user_id") references "core_user" ("id") on delete cascade;
      alter table "core_order" add constraint "core_order_action_id_foreign" foreign key ("action_id") references "core_action" ("id") on delete no action;
      alter table "core_order" add constraint "core_order_user_id_foreign" foreign key ("user_id") references "core_user" ("id") on delete cascade;
      alter table "core_order" add constraint "core_order_user_detail_id_foreign" foreign key ("user_detail_id") references "core_orderuserdetail" ("id") on delete no action;
      alter table "core_order" add constraint "core_order_account_id_foreign" foreign key ("account_id") references "core_paymentaccount" ("id") on delete no action;
      alter table "core_order" add constraint "core_order_status_check" check ("status" in ('completed', 'reversed'));
      alter table "core_transaction" add constraint "core_transaction_order_id_foreign" foreign key ("order_id") references "core_order" ("id") on delete cascade;
      alter table "core_transaction" add constraint "core_transaction_account_id_foreign" foreign key ("account_id") references "core_paymentaccount" ("id") on delete no action;
      alter table "core_transaction" add constraint "core_transaction_type_check" check ("type" in ('sale', 'credit', 'recurring_order_create', 'recurring_order_update', 'recurring_order_cancel'));
      alter table "core_transaction" add constraint "core_transaction_status_check" check ("status" in ('completed', 'failed', 'reversed'));
      alter table "core_orderrecurring" add constraint "core_orderrecurring_order_id_foreign" foreign key ("order_id") references "core_order" ("id") on delete cascade;
      alter table "core_orderrecurring" add constraint "core_orderrecurring_action_id_foreign" foreign key ("action_id") references "core_action" ("id") on delete no action;
      alter table "core_orderrecurring" add constraint "core_orderrecurring_user_id_foreign" foreign key ("user_id") references "core_user" ("id") on delete cascade;
      alter table "core_orderrecurring" add constraint "core_orderrecurring_account_id_foreign" foreign key ("account_id") references "core_paymentaccount" ("id") on delete no action;
      alter table "core_orderrecurring" add constraint "core_orderrecurring_period_check" check ("period" in ('weeks', 'months'));
      alter table "core_orderrecurring" add constraint "core_orderrecurring_status_check" check ("status" in ('active', 'past_due', 'canceled_by_user', 'canceled_by_admin', 'canceled_by_processor', 'canceled_by_failure', 'canceled_by_expired'));
      alter table "core_orderdetail" add constraint "core_orderdetail_order_id_foreign" foreign key ("order_id") references "core_order" ("id") on delete cascade;
      alter table "core_orderdetail" add constraint "core_orderdetail_candidate_id_foreign" foreign key ("candidate_id") references "core_candidate" ("id") on delete no action;
      alter table "core_orderdetail" add constraint "core_orderdetail_product_id_foreign" foreign key ("product_id") references "core_product" ("id") on delete no action;
      alter table "core_orderdetail" add constraint "core_orderdetail_status_check" check ("status" in ('completed', 'reversed'));
    `);
    this.addSql(`insert into core_paymentaccount (name, processor, currency) values ('Default Import Stub', 'import_stub', 'USD')`);
  }
}
